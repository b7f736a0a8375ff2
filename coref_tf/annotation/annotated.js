// The text to annotate, in the form that TextView draws: its words and current clusters.

class AnnotatedDocument {
  constructor(data, edits) {
    this.name = data.name;
    this.words = data.words;
    this.gaps = data.gaps;
    this.sentences = data.sentences;
    this.edits = edits;
    // Properties that only predictions have.
    this.raw = true;
    this.speakers = [];
    this.clusters = [];
    this.goldOf = new Map();
  }

  cluster(span) {
    return this.edits.cluster(span);
  }

  text(span, longest) {
    return CorefDocument.prototype.text.call(this, span, longest);
  }

  /** Returns the span between two words, in either order. */
  span(one, other = one) {
    return new Span(Math.min(one, other), Math.max(one, other), -1);
  }

  /** Returns the mentions that contain a word, narrowest first. */
  around(word) {
    return this.edits.spans
      .filter(({ start, end }) => start <= word && word <= end)
      .sort((a, b) => a.end - a.start - (b.end - b.start));
  }

  /** Returns the mention before or after a span. */
  neighbour(span, step) {
    const ordered = this.edits.spans.sort(inOrder);
    const beyond = ordered.filter((other) => (step > 0 ? inOrder(other, span) > 0 : inOrder(other, span) < 0));
    return step > 0 ? beyond[0] : beyond.at(-1);
  }
}
