// Files that users drop on the form or choose; the server extracts their text.

class Files {
  /** `open(file)` is called with each file. */
  constructor(form, row, endings, open) {
    const input = make("input", { type: "file", id: "file", accept: endings.join(","), hidden: "" });
    const button = make("button", { type: "button", onclick: () => input.click() }, "Open a file …");
    input.addEventListener("change", () => {
      if (input.files[0]) open(input.files[0]);
      input.value = ""; // so that the same file can be chosen again
    });
    input.setAttribute("aria-label", "A file to read");
    row.querySelector("#keys").before(button, input);
    this.depth = 0; // the number of nested elements that a dragged file has entered
    const isFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const mark = (change) => {
      this.depth = Math.max(0, this.depth + change);
      form.classList.toggle("dropping", this.depth > 0);
    };
    form.addEventListener("dragenter", (event) => isFile(event) && mark(1));
    form.addEventListener("dragleave", (event) => isFile(event) && mark(-1));
    document.addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      mark(-Infinity);
      if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
    });
  }
}
