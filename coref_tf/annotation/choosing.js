// Choosing words with pointer and keyboard, and the second mention that some changes need.

class Chooser {
  constructor() {
    this.doc = null;
    this.chosen = null; // a span of words
    this.anchor = null; // the word where the choice began
    this.picking = null; // "move" or "join", while the user is choosing another mention
    this.source = null; // the mention to move or join
  }

  // --- Another mention ------------------------------------------------------------------------------------

  /** Uses the next chosen mention as the target to move to or join with; calling it again cancels. */
  pick(kind) {
    if (!this.chosen || (kind === "join" && !this.picking && this.edits.cluster(this.chosen) < 0)) return;
    const again = this.picking === kind;
    if (again && this.source) this.chosen = this.source;
    this.source = again ? null : (this.source ?? this.chosen);
    this.picking = again ? null : kind;
    this.show();
  }

  /** Uses the chosen mention as the target. */
  take() {
    const number = this.edits.cluster(this.chosen);
    if (number >= 0 && this.chosen.key !== this.source.key) this.pickCluster(number);
    else this.show();
  }

  /** Moves the chosen words to a cluster, or joins their clusters; returns true, because the key was handled. */
  pickCluster(number) {
    if (!this.chosen || !this.edits.clusters.some((cluster) => cluster.number === number)) return true;
    const { source, picking } = this;
    if (picking === "join") this.change(() => this.edits.join(this.edits.cluster(source), number), source);
    else this.putInto(number);
    return true;
  }

  // --- The chosen words -----------------------------------------------------------------------------------

  choose(span) {
    if (span && this.picking) {
      this.chosen = span;
      return this.take();
    }
    this.chosen = span;
    if (!span) this.picking = this.source = null;
    this.anchor = span?.start ?? null;
    this.show();
  }

  /** Moves by a word; with `extend`, extends the choice from the anchor. */
  walk(step, extend) {
    if (!this.doc) return;
    const last = this.doc.words.length - 1;
    const { start, end } = this.chosen ?? { start: -1, end: step > 0 ? -1 : last + 1 };
    const from = extend && this.chosen ? (this.anchor === start ? end : start) : step > 0 ? end : start;
    const to = Math.min(Math.max(from + step, 0), last);
    if (!extend || this.anchor === null) this.anchor = to;
    this.chosen = this.doc.span(this.anchor, to);
    this.show(to);
  }

  /** Moves to the next or previous mention. */
  go(step) {
    if (!this.doc) return;
    const next = this.doc.neighbour(this.chosen ?? this.doc.span(step > 0 ? -1 : Infinity), step);
    if (!next) return;
    this.chosen = next;
    this.anchor = next.start;
    this.show(next.start);
  }

  /** Chooses the narrowest mention that contains the word, then wider ones, then the word alone. */
  click(word, extend) {
    if (extend && this.chosen) return this.choose(this.doc.span(this.anchor ?? this.chosen.start, word));
    const around = this.doc.around(word);
    const alone = this.doc.span(word);
    const options = around.some(({ key }) => key === alone.key) || this.picking ? around : [...around, alone];
    const place = options.findIndex(({ key }) => key === this.chosen?.key);
    if (options.length) this.choose(options[(place + 1) % options.length]);
  }

  /** Chooses the words that were selected with the pointer. */
  selected() {
    const selection = getSelection();
    if (!this.view || selection.isCollapsed || !selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (!this.parts.text.contains(range.commonAncestorContainer)) return;
    const inside = this.view.words.flatMap((word, number) => (range.intersectsNode(word) ? [number] : []));
    const touched = inside.filter((number) => covers(range, this.view.words[number]));
    if (!touched.length) return;
    this.choose(this.doc.span(touched[0], touched.at(-1)));
    selection.removeAllRanges();
  }
}
