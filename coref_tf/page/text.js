// The text with its mentions in brackets.

const COLOURS = 8; // as in base.css; the number next to each bracket distinguishes all clusters

/** Returns the classes for the colour of a cluster and its line style, which changes when all colours are used. */
function clusterClass(cluster) {
  return `c${cluster % COLOURS} l${Math.floor(cluster / COLOURS) % 3}`;
}

/** The text of one document as elements, with the elements of its words and mentions. */
class TextView {
  /**
   * `shown` lists the spans to bracket, in any order; one that crosses an earlier one is left out, and so is the line
   * under a quotation that crosses one of them.
   */
  constructor(doc, shown, address, quotations = []) {
    this.doc = doc;
    this.address = address; // returns the link to a span
    this.words = [];
    this.mentions = new Map(); // key of a span -> its element
    this.quotations = new Map(); // a quotation -> the elements of its lines
    const opening = this.#openings([...shown, ...quotations.flatMap((quotation) => this.#pieces(quotation))]);
    this.element = doc.raw ? this.#prose(opening) : this.#sentences(opening);
    this.atRest = this.#attentionAtRest();
    this.reddened = new Set();
    this.atRest.forEach((weight, word) => this.#setRedness(word, weight));
  }

  /** Maps a word to the spans that begin there, widest first. */
  #openings(shown) {
    const opening = new Map();
    const taken = [];
    for (const span of shown) {
      if (taken.some((other) => other.crosses(span))) continue;
      taken.push(span);
      if (!opening.has(span.start)) opening.set(span.start, []);
      opening.get(span.start).push(span);
    }
    const outside = (span) => (span.quotation ? 1 : 0);
    for (const spans of opening.values()) spans.sort((a, b) => b.end - a.end || outside(b) - outside(a));
    return opening;
  }

  /** A quotation as spans that are drawn whole: one, or one for each sentence that has a line of its own. */
  #pieces(quotation) {
    const { start, end } = quotation.span;
    const piece = (from, to) => Object.assign(new Span(from, to, -1), { quotation });
    if (this.doc.raw) return [piece(start, end)];
    const pieces = [];
    for (let word = start; word <= end; ) {
      let last = word;
      while (last < end && this.doc.sentenceOf[last + 1] === this.doc.sentenceOf[word]) last++;
      pieces.push(piece(word, last));
      word = last + 1;
    }
    return pieces;
  }

  #prose(opening) {
    const block = make("div", { class: "prose" });
    this.#fill(block, 0, this.doc.words.length - 1, opening);
    block.append(this.doc.gaps.at(-1));
    return block;
  }

  #sentences(opening) {
    const block = make("div", { class: "sentences" });
    let first = 0;
    let speaker = null;
    this.doc.sentences.forEach((length, sentence) => {
      if (!length) return;
      const line = make("p", { dir: "auto" });
      const now = this.doc.speakers[sentence];
      if (now !== speaker && now) line.append(make("bdi", { class: "speaker" }, now), " ");
      speaker = now;
      this.#fill(line, first, first + length - 1, opening);
      block.append(line);
      first += length;
    });
    return block;
  }

  /** Appends words first..last, with the mentions that begin among them. */
  #fill(parent, first, last, opening) {
    const stack = [{ element: parent, end: Infinity }];
    for (let word = first; word <= last; word++) {
      stack.at(-1).element.append(this.doc.gaps[word]);
      for (const span of opening.get(word) ?? []) {
        const element = span.quotation ? this.#quoted(span.quotation) : this.#mention(span);
        stack.at(-1).element.append(element);
        stack.push({ element, end: span.end });
      }
      this.words[word] = make("span", { class: "w", "data-word": word }, this.doc.words[word]);
      stack.at(-1).element.append(this.words[word]);
      while (stack.at(-1).end === word) stack.pop();
    }
  }

  #mention(span) {
    const { doc } = this;
    const cluster = doc.cluster(span);
    const gold = doc.goldOf.get(span.key);
    const missed = cluster < 0 && gold !== undefined;
    const [kind, label, name] =
      cluster >= 0
        ? [clusterClass(cluster), `${cluster + 1}`, `cluster ${cluster + 1}`]
        : missed
          ? ["missed", `g${gold + 1}`, `missed, gold cluster ${gold + 1}`]
          : ["unlinked", "○", "kept, in no cluster"];
    const tag = make(
      "a",
      { class: "tag", href: this.address(span), "aria-label": `${doc.text(span, 80)}: ${name}` },
      label,
    );
    const element = make("span", { class: `mention ${kind}`, "data-span": span.key }, tag);
    this.mentions.set(span.key, element);
    return element;
  }

  /** The line under a quotation, or under a piece of it; the first piece names the speaker. */
  #quoted(quotation) {
    const pieces = this.quotations.get(quotation) ?? [];
    const label = pieces.length ? null : quotation.label;
    const element = make("span", { class: `quotation ${quotation.kind(this.doc)}`, "data-speaker": label });
    this.quotations.set(quotation, [...pieces, element]);
    return element;
  }

  /** Maps a word to its head attention in the narrowest mention around it. */
  #attentionAtRest() {
    const weights = new Map();
    const mentions = this.doc.clusters.flat().map((number) => this.doc.spans[number]);
    for (const span of mentions.sort((a, b) => b.end - b.start - (a.end - a.start))) {
      this.doc.attention(span)?.forEach((weight, place) => weights.set(span.start + place, weight));
    }
    return weights;
  }

  /** Makes spans stand out, and the mentions of the first one's cluster. */
  highlight(spans) {
    for (const element of this.element.querySelectorAll(".current, .same, .chosen-word, .pointed")) {
      element.classList.remove("current", "same", "chosen-word", "pointed");
    }
    const { doc } = this;
    const cluster = spans.length ? (doc.clusters[doc.cluster(spans[0])] ?? []) : [];
    const same = cluster.map((number) => doc.spans[number]);
    for (const other of same) this.mentions.get(other.key)?.classList.add("same");
    for (const span of spans) {
      this.mentions.get(span.key)?.classList.add("current");
      for (let word = span.start; word <= span.end; word++) this.words[word].classList.add("chosen-word");
    }
    this.redden([...same, ...spans.slice(0, 1)]);
  }

  /** Makes a quotation stand out until something else does. */
  point(quotation) {
    for (const element of this.quotations.get(quotation) ?? []) element.classList.add("pointed");
  }

  #setRedness(word, weight) {
    this.words[word].style.setProperty("--attention", weight.toFixed(3));
  }

  /** Colours the words of some spans by their head attention; the last span takes precedence. */
  redden(spans) {
    for (const word of this.reddened) this.#setRedness(word, this.atRest.get(word) ?? 0);
    this.reddened.clear();
    for (const span of spans) {
      this.doc.attention(span)?.forEach((weight, place) => {
        this.#setRedness(span.start + place, weight);
        this.reddened.add(span.start + place);
      });
    }
  }
}

/** Returns whether a selection covers more than the edge of a word. */
function covers(range, word) {
  const part = document.createRange();
  part.selectNodeContents(word);
  return (
    range.compareBoundaryPoints(Range.START_TO_END, part) > 0 &&
    range.compareBoundaryPoints(Range.END_TO_START, part) < 0
  );
}
