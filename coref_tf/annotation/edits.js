// The clusters of a text while they are corrected. Every change creates a new state, so that it can be undone.

/** Compares mentions by text order. */
function inOrder(a, b) {
  return a.start - b.start || a.end - b.end;
}

class Edits {
  /** `clusters` are lists of [start, end]; each keeps its number when others change. */
  constructor(clusters) {
    this.past = [];
    this.future = [];
    this.state = numberedClusters(clusters);
  }

  /** The numbered clusters, ordered by their first mentions: [{ number, spans }]. */
  get clusters() {
    return this.state;
  }

  get spans() {
    return this.state.flatMap(({ spans }) => spans);
  }

  /** The clusters in the format of requests. */
  get plain() {
    return this.state.map(({ spans }) => spans.map(({ start, end }) => [start, end]));
  }

  /** Returns the number of the cluster of a span, or -1 if it is not a mention. */
  cluster(span) {
    return this.state.find(({ spans }) => spans.some(({ key }) => key === span.key))?.number ?? -1;
  }

  /** Returns a mention that crosses a span, if there is one; ignores `except`. */
  crossing(span, except = null) {
    return this.spans.find((other) => other.key !== except?.key && other.crosses(span));
  }

  // --- Changes --------------------------------------------------------------------------------------------

  /** Puts words into a cluster, or into a new one; they become a mention if necessary. */
  put(span, cluster = this.#newNumber()) {
    if (this.cluster(span) !== cluster) this.#change([...this.#without(span), { number: cluster, spans: [span] }]);
  }

  remove(span) {
    this.#change(this.#without(span));
  }

  /** Moves a mention and all later ones of its cluster to a new cluster. */
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

  /** Joins two clusters; the result keeps the lower number. */
  join(one, other) {
    if (one === other) return;
    const [number, gone] = [Math.min(one, other), Math.max(one, other)];
    this.#change(this.state.map((cluster) => (cluster.number === gone ? { ...cluster, number } : cluster)));
  }

  /** Replaces the words of a mention. */
  resize(span, next) {
    this.#change(
      this.state.map(({ number, spans }) => ({
        number,
        spans: spans.map((other) => (other.key === span.key ? next : other)),
      })),
    );
  }

  /** Replaces all clusters. */
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

/** Merges clusters with the same number, drops empty ones, and sorts by text order. */
function tidy(clusters) {
  const spansOf = new Map();
  for (const { number, spans } of clusters) spansOf.set(number, [...(spansOf.get(number) ?? []), ...spans]);
  return [...spansOf]
    .filter(([, spans]) => spans.length)
    .map(([number, spans]) => ({ number, spans: spans.sort(inOrder) }))
    .sort((a, b) => inOrder(a.spans[0], b.spans[0]));
}
