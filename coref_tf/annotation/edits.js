// The clusters of a text while they are corrected. Every change makes a new state, so that each can be undone.

/** Mentions in the order of the text. */
function inOrder(a, b) {
  return a.start - b.start || a.end - b.end;
}

class Edits {
  /** `clusters` are lists of [start, end]; each keeps its number, whatever happens to the others. */
  constructor(clusters) {
    this.past = [];
    this.future = [];
    this.state = numberedClusters(clusters);
  }

  /** The clusters by their numbers, in the order of their first mentions: [{ number, spans }]. */
  get clusters() {
    return this.state;
  }

  get spans() {
    return this.state.flatMap(({ spans }) => spans);
  }

  /** The clusters as requests have them. */
  get plain() {
    return this.state.map(({ spans }) => spans.map(({ start, end }) => [start, end]));
  }

  /** The number of a span's cluster; -1 for words that are no mention. */
  cluster(span) {
    return this.state.find(({ spans }) => spans.some(({ key }) => key === span.key))?.number ?? -1;
  }

  /** The mention that crosses a span, if there is one; `except` is left out. */
  crossing(span, except = null) {
    return this.spans.find((other) => other.key !== except?.key && other.crosses(span));
  }

  // --- Changes --------------------------------------------------------------------------------------------

  /** Puts words into a cluster, or into a new one; they become a mention, if they weren't one. */
  put(span, cluster = this.#newNumber()) {
    if (this.cluster(span) !== cluster) this.#change([...this.#without(span), { number: cluster, spans: [span] }]);
  }

  remove(span) {
    this.#change(this.#without(span));
  }

  /** Makes a new cluster of a mention and all later ones of its cluster. */
  split(span) {
    const number = this.cluster(span);
    const isLater = (other) => inOrder(other, span) >= 0;
    this.#change(
      this.state.flatMap((cluster) =>
        cluster.number !== number
          ? [cluster]
          : [
              { number, spans: cluster.spans.filter((other) => !isLater(other)) },
              { number: this.#newNumber(), spans: cluster.spans.filter(isLater) },
            ],
      ),
    );
  }

  /** Makes one cluster of two, which keeps the lower number. */
  join(one, other) {
    if (one === other) return;
    const [number, gone] = [Math.min(one, other), Math.max(one, other)];
    this.#change(this.state.map((cluster) => (cluster.number === gone ? { ...cluster, number } : cluster)));
  }

  /** Gives a mention other words. */
  resize(span, next) {
    this.#change(
      this.state.map(({ number, spans }) => ({
        number,
        spans: spans.map((other) => (other.key === span.key ? next : other)),
      })),
    );
  }

  /** Takes other clusters in place of all that there are. */
  replace(clusters) {
    this.#change(numberedClusters(clusters));
  }

  undo() {
    this.#step(this.past, this.future);
  }

  redo() {
    this.#step(this.future, this.past);
  }

  #step(from, to) {
    if (!from.length) return;
    to.push(this.state);
    this.state = from.pop();
  }

  #change(clusters) {
    this.past.push(this.state);
    this.future = [];
    this.state = tidy(clusters);
  }

  #without(span) {
    return this.state.map(({ number, spans }) => ({
      number,
      spans: spans.filter(({ key }) => key !== span.key),
    }));
  }

  #newNumber() {
    const taken = [this.state, ...this.past].flat().map(({ number }) => number);
    return taken.reduce((most, number) => Math.max(most, number), -1) + 1;
  }
}

function numberedClusters(clusters) {
  return tidy(
    clusters.map((cluster, number) => ({
      number,
      spans: cluster.map(([start, end]) => new Span(start, end, -1)),
    })),
  );
}

/** Clusters of the same number become one, and empty ones go; all are in the order of the text. */
function tidy(clusters) {
  const spansOf = new Map();
  for (const { number, spans } of clusters) spansOf.set(number, [...(spansOf.get(number) ?? []), ...spans]);
  return [...spansOf]
    .filter(([, spans]) => spans.length)
    .map(([number, spans]) => ({ number, spans: spans.sort(inOrder) }))
    .sort((a, b) => inOrder(a.spans[0], b.spans[0]));
}
