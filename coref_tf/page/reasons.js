// Explains why two spans are or are not in one cluster, checking the model's factors in order.

const quoted = (doc, span) => `“${doc.text(span, 60)}”`;

/** Returns why a span was not kept, or null if it was. */
function whyNotKept(doc, span) {
  if (span.kept) return null;
  const { max_mention_width: widest, mentions } = doc.settings;
  const width = span.end - span.start + 1;
  const name = quoted(doc, span);
  if (doc.sentenceOf[span.start] !== doc.sentenceOf[span.end]) {
    return { kind: "not a candidate", text: `${name} crosses a sentence boundary; spans never do.` };
  }
  if (width > widest) {
    return { kind: "not a candidate", text: `${name} has ${width} words; spans have at most ${widest}.` };
  }
  if (mentions !== "learned") {
    return {
      kind: "span pruned",
      text: `${name} is not one of the ${mentions} mentions; only those are kept.`,
    };
  }
  const own = doc.mentionScore(span);
  const better = doc.spans.find((kept) => kept.crosses(span) && doc.scores[kept.number] >= own);
  if (better && own >= doc.lowestKept) {
    const text =
      `${name} (mention score ${score(own)}) crosses ${quoted(doc, better)}, which scores ` +
      `${score(doc.scores[better.number])}; of crossing spans, the best is kept.`;
    return { kind: "span pruned", text };
  }
  const lowest = doc.spans.length ? `${score(doc.lowestKept)}, the lowest that was kept` : "all";
  const text = `The mention score of ${name} is ${score(own)}, below ${lowest} (${doc.spans.length} spans are kept).`;
  return { kind: "span pruned", text };
}

/** Explains a link between two spans, or its absence: {kind, text, terms}; terms are the factors of s(i, j). */
function explain(doc, first, second) {
  const [j, i] = first.isBefore(second) ? [first, second] : [second, first];
  const pruned = [i, j].map((span) => whyNotKept(doc, span)).filter(Boolean);
  if (pruned.length) {
    const { kind } = pruned.find((reason) => reason.kind === "not a candidate") ?? pruned[0];
    return { kind, text: pruned.map((reason) => reason.text).join(" ") };
  }
  if (doc.chosen[i.number] === j.number) {
    return {
      kind: "linked",
      text: `${quoted(doc, j)} is the antecedent of ${quoted(doc, i)}.`,
      ...known(doc, i, j),
    };
  }
  if (doc.together(i, j)) {
    return {
      kind: "linked",
      text: "Both are in one cluster, linked through other mentions.",
      ...known(doc, i, j),
    };
  }
  if (doc.parted(i, j)) return takenAway(doc, i, j);
  const pair = doc.antecedentScore(i, j);
  if (pair === null || (pair === undefined && tooFar(doc, i, j))) {
    const { max_antecedents: most, nearest } = doc.settings;
    const which = nearest ? "nearest" : "most promising";
    const text =
      `${quoted(doc, j)} is not among the ${most} ${which} spans before ${quoted(doc, i)}, ` +
      "the only ones considered.";
    return { kind: "too far", text };
  }
  return pair === undefined ? notAmongBest(doc, i, j) : lowFactor(doc, i, j);
}

/** The model put both in one cluster, but the dial removed a link between them. */
function takenAway(doc, i, j) {
  // Antecedents come before, so the later of the two first mentions has lost the link that joined them.
  const parted = doc.spans[Math.max(...[i, j].map((span) => doc.firstOf(span)))];
  const text =
    `The place probability of ${quoted(doc, parted)} is ${percent(doc.places[parted.number])}, ` +
    `below the minimum of ${percent(doc.least)}.`;
  return { kind: "link removed", text, ...known(doc, i, j) };
}

function tooFar(doc, i, j) {
  return doc.settings.nearest && i.number - j.number > doc.settings.max_antecedents;
}

/** Returns the factors of s(i, j), if the page has them. */
function known(doc, i, j) {
  const pair = doc.antecedentScore(i, j);
  if (typeof pair !== "number") return {};
  const factors = [doc.mentionScore(i), doc.mentionScore(j), pair];
  return { terms: { factors, sum: factors[0] + factors[1] + factors[2] } };
}

function notAmongBest(doc, i, j) {
  const last = doc.best[i.number].at(-1);
  const limit = doc.mentionScore(i) + doc.scores[last[0]] + last[1];
  const text =
    `${quoted(doc, j)} is not among the ${doc.best[i.number].length} best antecedents of ${quoted(doc, i)}: ` +
    `its score is at most ${score(limit)}.`;
  return { kind: "low antecedent score", text };
}

/** Both were kept and compared: the reason is the lowest of the three factors, or a better antecedent. */
function lowFactor(doc, i, j) {
  const { terms } = known(doc, i, j);
  const chosen = doc.linked[i.number];
  if (terms.sum > 0 && chosen >= 0) {
    const better = quoted(doc, doc.spans[chosen]);
    const text = `The score is positive, but ${better} scores higher as an antecedent of ${quoted(doc, i)}.`;
    return { kind: "another antecedent is better", text, terms };
  }
  const lowest = Math.min(...terms.factors);
  const instead =
    chosen < 0 ? "no antecedent (score 0) is better" : `${quoted(doc, doc.spans[chosen])} is better`;
  if (terms.factors[2] === lowest) {
    return {
      kind: "low antecedent score",
      text: `The antecedent score of the pair, ${score(lowest)}, is too low: ${instead}.`,
      terms,
    };
  }
  const weak = terms.factors[0] === lowest ? i : j;
  return {
    kind: "low mention score",
    text: `${quoted(doc, weak)} has mention score ${score(lowest)}: ${instead}.`,
    terms,
  };
}
