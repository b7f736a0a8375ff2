// The dial: how probable a mention's place has to be for its link to stay.

class Dial {
  /** `turn(least)` hears of every new setting, from 0, which leaves all links, to 1. */
  constructor(turn) {
    this.input = make("input", { type: "range", id: "dial", min: 0, max: 100, step: 1, value: 0 });
    this.output = make("output", { for: "dial" });
    this.element = make(
      "span",
      { class: "dial" },
      make("label", { for: "dial" }, "least probability of links"),
      this.input,
      this.output,
    );
    this.frame = 0;
    this.input.addEventListener("input", () => {
      // A long document takes longer to draw than the pointer to move on.
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => turn(this.input.value / 100));
    });
  }

  /** Says what is set for a document; one without links has nothing to be taken away. */
  show(doc) {
    const { all, left } = doc.links;
    const least = Math.round(100 * doc.least);
    this.element.hidden = !all;
    this.input.value = least;
    this.input.setAttribute("aria-valuetext", `${least} %`);
    this.output.value = `${least} %, ${left === all ? `all ${count(all, "link")}` : `${left} of ${count(all, "link")}`}`;
  }
}
