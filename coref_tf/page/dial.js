// The dial, which sets the minimum place probability of links.

class Dial {
  /** `turn(least)` is called with every new setting, from 0, which keeps all links, to 1. */
  constructor(turn) {
    this.input = make("input", { type: "range", id: "dial", min: 0, max: 100, step: 1, value: 0 });
    this.output = make("output", { for: "dial" });
    this.element = make(
      "span",
      { class: "dial" },
      make("label", { for: "dial" }, "minimum probability"),
      this.input,
      this.output,
    );
    this.frame = 0;
    this.input.addEventListener("input", () => {
      // Drawing a long document takes longer than the time between two pointer events.
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => turn(this.input.value / 100));
    });
  }

  /** Shows the setting for a document; hidden if the document has no links. */
  show(doc) {
    const { all, left } = doc.links;
    const least = Math.round(100 * doc.least);
    this.element.hidden = !all;
    this.input.value = least;
    this.input.setAttribute("aria-valuetext", `${least}%`);
    const links = count(all, "link");
    const kept = left < all ? `${left} of ${links}` : all === 1 ? links : `all ${links}`;
    this.output.value = `${least}%, ${kept}`;
  }
}
