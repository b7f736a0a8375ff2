// What can be taken away from the page.

/** Copies a text; resolves to whether the browser has let it. Pages from plain HTTP elsewhere mayn't. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Shows a text, selected, for people to copy it themselves. */
function showToCopy(name, text) {
  const box = make("textarea", { readonly: "", rows: 8, "aria-label": name }, text);
  const close = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = make(
    "dialog",
    { "aria-label": name },
    make("p", { class: "hint" }, "This browser doesn't let the page copy: press Ctrl + C, or ⌘ + C."),
    box,
    close,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  box.focus();
  box.select();
}
