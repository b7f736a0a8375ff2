// The data of one document: its words, the kept spans, their scores and clusters.

const ABSENT = -32768; // in packed scores: not considered by the model

/** Decodes little-endian 16-bit integers from Base64. */
function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, place) => view.getInt16(2 * place, true));
}

/** Returns the clusters that antecedents form, as lists of span indices, ordered by their first span. */
function clustersOf(antecedents) {
  const clusterOf = new Map();
  const clusters = [];
  antecedents.forEach((antecedent, span) => {
    if (antecedent < 0) return;
    if (!clusterOf.has(antecedent)) {
      clusterOf.set(antecedent, [antecedent]);
      clusters.push(clusterOf.get(antecedent));
    }
    clusterOf.get(antecedent).push(span);
    clusterOf.set(span, clusterOf.get(antecedent));
  });
  return clusters.sort((a, b) => a[0] - b[0]);
}

/** Maps the index of a span to the index of its cluster. */
function numbered(clusters) {
  return new Map(clusters.flatMap((cluster, c) => cluster.map((number) => [number, c])));
}

/** A span of words; `number` is its index among the kept spans, or -1. */
class Span {
  constructor(start, end, number) {
    this.start = start;
    this.end = end;
    this.number = number;
  }
  get kept() {
    return this.number >= 0;
  }
  get key() {
    return `${this.start}-${this.end}`;
  }
  isBefore(other) {
    return this.start < other.start || (this.start === other.start && this.end < other.end);
  }
  crosses(other) {
    const [first, second] = this.start < other.start ? [this, other] : [other, this];
    return first.start < second.start && second.start <= first.end && first.end < second.end;
  }
}

class CorefDocument {
  constructor(data, settings) {
    this.settings = settings;
    this.raw = data.raw; // whether its gaps come from the text
    this.words = data.words;
    this.gaps = data.gaps;
    this.sentences = data.sentences;
    this.speakers = data.speakers;
    this.heads = data.heads;
    this.scores = data.scores;
    this.linked = data.chosen; // the best antecedent of each span, -1 for none
    this.places = data.places; // the place probability of that link
    this.none = data.none;
    this.alone = data.alone; // the minimum score of singletons, or null
    this.best = data.best;
    this.spans = data.spans.map(([start, end], number) => new Span(start, end, number));
    this.lowestKept = this.scores.reduce((lowest, value) => Math.min(lowest, value), Infinity);
    this.candidates = unpack(data.candidates);
    this.pairRows = data.pairs.rows;
    this.pairPlace = new Map(data.pairs.mentions.map((number, place) => [number, place]));
    this.keptByKey = new Map(this.spans.map((span) => [span.key, span]));
    this.whole = numbered(clustersOf(this.linked)); // index of a span -> its cluster, before links are removed
    this.#set(data.least, data.clusters);
    this.gold = data.gold.map((cluster) =>
      cluster.map(([start, end]) => this.span(start, end)).sort((a, b) => (a.isBefore(b) ? -1 : 1)),
    );
    this.goldOf = new Map(); // key of a span -> its gold cluster
    this.gold.forEach((cluster, g) => cluster.forEach((span) => this.goldOf.set(span.key, g)));
    this.quotations = data.quotations.map((quotation) => new Quotation(quotation));
    this.sentenceOf = this.sentences.flatMap((length, sentence) => Array(length).fill(sentence));
  }

  /** Removes links with a lower place probability, and forms clusters from the rest. */
  dial(least) {
    this.#set(least, this.#withSingletons(clustersOf(this.#left(least))));
  }

  #withSingletons(clusters) {
    if (this.alone === null) return clusters;
    const inside = new Set(clusters.flat());
    const alone = this.spans.filter(({ number }) => !inside.has(number) && this.scores[number] >= this.alone);
    return [...clusters, ...alone.map(({ number }) => [number])].sort((a, b) => a[0] - b[0]);
  }

  #left(least) {
    return this.linked.map((antecedent, span) => (this.places[span] < least ? -1 : antecedent));
  }

  #set(least, clusters) {
    this.least = least;
    this.chosen = this.#left(least); // the antecedent of each span, -1 for none
    this.clusters = clusters;
    this.clusterOf = numbered(clusters);
  }

  /** The number of all links, and of the remaining ones. */
  get links() {
    const count = (antecedents) => antecedents.filter((antecedent) => antecedent >= 0).length;
    return { all: count(this.linked), left: count(this.chosen) };
  }

  /** Returns the span of these words: the kept one, if it was kept. */
  span(start, end) {
    return this.keptByKey.get(`${start}-${end}`) ?? new Span(start, end, -1);
  }

  /** Returns the text of a span on one line. */
  text(span, longest = Infinity) {
    let text = "";
    for (let word = span.start; word <= span.end; word++) {
      // Sentences without a text have lines of their own, and no gap between them.
      const newLine = !this.raw && this.sentenceOf[word] !== this.sentenceOf[word - 1];
      text += (word > span.start ? (newLine ? " " : this.gaps[word]) : "") + this.words[word];
    }
    text = text.replace(/\s+/g, " ");
    const characters = Array.from(text);
    return characters.length > longest
      ? `${characters
          .slice(0, longest - 1)
          .join("")
          .trimEnd()}…`
      : text;
  }

  cluster(span) {
    return this.clusterOf.get(span.number) ?? -1;
  }

  /** Returns s_m, or null for a span that is not a candidate. */
  mentionScore(span) {
    if (span.kept) return this.scores[span.number];
    const width = span.end - span.start + 1;
    if (width > this.settings.max_mention_width) return null;
    const value = this.candidates[span.start * this.settings.max_mention_width + width - 1];
    return value === ABSENT ? null : value / 100;
  }

  /** Returns s_a(i, j); null if the pair was not considered, undefined if the page does not have the score. */
  antecedentScore(i, j) {
    const among = this.best[i.number].find(([antecedent]) => antecedent === j.number);
    if (among) return among[1];
    const [later, earlier] = [this.pairPlace.get(i.number), this.pairPlace.get(j.number)];
    if (later === undefined || earlier === undefined) return undefined;
    const row = unpack(this.pairRows[later]);
    const place = row.length - (later - earlier);
    return place < 0 || row[place] === ABSENT ? null : row[place] / 100;
  }

  /** Returns the probability of no antecedent. */
  dummyProbability(span) {
    return this.none[span.number];
  }

  /** Returns a_{i,t}, the head attention of each word of a span; null without head attention or for a non-candidate. */
  attention(span) {
    if (!this.heads || this.mentionScore(span) === null) return null;
    const scores = this.heads.slice(span.start, span.end + 1);
    const highest = Math.max(...scores);
    const weights = scores.map((value) => Math.exp(value - highest));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  }

  /** Returns the gold mentions of the same cluster before a span. */
  goldAntecedents(span) {
    const g = this.goldOf.get(span.key);
    return g === undefined ? [] : this.gold[g].filter((other) => other.isBefore(span));
  }

  together(a, b) {
    return this.cluster(a) >= 0 && this.cluster(a) === this.cluster(b);
  }

  /** Returns the index of the first span in the chain of antecedents of a span. */
  firstOf(span) {
    let number = span.number;
    while (this.chosen[number] >= 0) number = this.chosen[number];
    return number;
  }

  /** Returns whether the dial has separated two spans that the model put in one cluster. */
  parted(a, b) {
    const cluster = this.whole.get(a.number);
    return cluster !== undefined && cluster === this.whole.get(b.number) && !this.together(a, b);
  }

  /** Returns the gold mentions that should have been linked to an earlier one, but were not. */
  missed() {
    return this.gold
      .flat()
      .filter((span) => {
        const before = this.goldAntecedents(span);
        return before.length && !before.some((other) => this.together(span, other));
      })
      .sort((a, b) => (a.isBefore(b) ? -1 : 1));
  }
}
