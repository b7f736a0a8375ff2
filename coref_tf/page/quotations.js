// Quotations and their speakers: what the list beside the text shows.

/** A quotation from word `start` to word `end`, and who speaks it. */
class Quotation {
  /** `number` is that of a kept span in the speaker's cluster; null for a speaker who is in none. */
  constructor({ start, end, depth, speaker, span }) {
    this.span = new Span(start, end, -1);
    this.depth = depth;
    this.speaker = speaker;
    this.number = span;
  }

  /** The number of the speaker's cluster; -1 where the slider has removed it, or there was none. */
  cluster(doc) {
    return doc.clusterOf.get(this.number) ?? -1;
  }

  /** The class that colours it. */
  kind(doc) {
    const cluster = this.cluster(doc);
    return cluster >= 0 ? clusterClass(cluster) : "nobody";
  }

  /** The speaker as a label; the style sheet cuts one that is wider than the text. */
  get label() {
    return this.speaker ?? "?";
  }
}

/** The quotations with their speakers; `address` gives that of a span, `show` shows a quotation in the text. */
function quotationList(doc, address, show) {
  const items = doc.quotations.map((quotation) => {
    const words = make("bdi", {}, doc.text(quotation.span, 90));
    return make(
      "li",
      { class: quotation.kind(doc) },
      speakerChip(doc, quotation),
      make(
        "span",
        { class: "members" },
        speakerName(doc, quotation, address),
        make("button", { type: "button", class: "said", onclick: () => show(quotation) }, words),
      ),
    );
  });
  const title = make("h3", {}, count(items.length, "quotation"));
  return make("div", { class: "quotations" }, title, make("ol", {}, ...items));
}

/** The number of the speaker's cluster. */
function speakerChip(doc, quotation) {
  const cluster = quotation.cluster(doc);
  return make("span", { class: `chip ${quotation.kind(doc)}` }, cluster >= 0 ? `${cluster + 1}` : "–");
}

/** The speaker, with a link to where the text names them. */
function speakerName(doc, { number, speaker }, address) {
  const name = make("bdi", {}, speaker ?? "unknown speaker");
  if (number === null) return make("span", { class: "speaker-name" }, name);
  return make("a", { class: "speaker-name", href: address(doc.spans[number]) }, name);
}
