// Why two spans are, or are not, in one cluster: the model's factors, one after the other.

const quoted = (doc, span) => `“${doc.text(span, 60)}”`;

/** Why a span was not kept; null where it was. */
function whyNotKept(doc, span) {
  if (span.kept) return null;
  const { max_mention_width: widest, mentions } = doc.settings;
  const width = span.end - span.start + 1;
  const name = quoted(doc, span);
  if (doc.sentenceOf[span.start] !== doc.sentenceOf[span.end]) {
    return { kind: "no candidate", text: `${name} crosses the end of a sentence; no span does.` };
  }
  if (width > widest) {
    return { kind: "no candidate", text: `${name} has ${width} words; spans have ${widest} at most.` };
  }
  if (mentions !== "learned") {
    return {
      kind: "span pruned",
      text: `${name} is none of the ${mentions} mentions, which alone are kept.`,
    };
  }
  const own = doc.mentionScore(span);
  const better = doc.spans.find((kept) => kept.crosses(span) && doc.scores[kept.number] >= own);
  if (better && own >= doc.lowestKept) {
    const text =
      `${name} (mention score ${score(own)}) crosses ${quoted(doc, better)}, which scores ` +
      `${score(doc.scores[better.number])}; of spans that cross, the best is kept.`;
    return { kind: "span pruned", text };
  }
  const lowest = doc.spans.length ? `${score(doc.lowestKept)}, the lowest that was kept` : "all";
  const text = `The mention score of ${name} is ${score(own)}, below ${lowest} (${doc.spans.length} spans are kept).`;
  return { kind: "span pruned", text };
}

/** What became of a link between two spans: {kind, text, terms}; terms are the factors of s(i, j), if known. */
function explain(doc, first, second) {
  const [j, i] = first.isBefore(second) ? [first, second] : [second, first];
  const pruned = [i, j].map((span) => whyNotKept(doc, span)).filter(Boolean);
  if (pruned.length) {
    const { kind } = pruned.find((reason) => reason.kind === "no candidate") ?? pruned[0];
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

/** The model has both in one cluster; a place between them is less probable than is asked for. */
function takenAway(doc, i, j) {
  // Antecedents come before, so that the later of the two first mentions has lost the link that joined them.
  const parted = doc.spans[Math.max(...[i, j].map((span) => doc.firstOf(span)))];
  const text =
    `The place of ${quoted(doc, parted)} in the cluster is ${percent(doc.places[parted.number])} probable, ` +
    `less than the ${percent(doc.least)} asked for.`;
  return { kind: "taken away", text, ...known(doc, i, j) };
}

function tooFar(doc, i, j) {
  return doc.settings.nearest && i.number - j.number > doc.settings.max_antecedents;
}

/** The factors of s(i, j), where the page knows them. */
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

/** Both were kept and compared: the lowest of the three factors is to blame, or a better antecedent. */
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
      text: `The pair's own score, ${score(lowest)}, is too low: ${instead}.`,
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
