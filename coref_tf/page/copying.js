// Copying to the clipboard.

/** Copies a text; resolves to whether the browser allowed it, which it does not over plain HTTP from other hosts. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Shows a selected text, so that users can copy it themselves. */
function showToCopy(name, text) {
  const box = make("textarea", { readonly: "", rows: 8, "aria-label": name }, text);
  const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = make(
    "dialog",
    { "aria-label": name },
    make("p", { class: "hint" }, "Your browser does not let this page copy. Press Ctrl + C or ⌘ + C."),
    box,
    close,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
  box.select();
}
