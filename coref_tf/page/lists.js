// The lists around the text: documents, clusters, missed links.

/** Returns links to all documents. */
function tableOfContents(sources) {
  const items = sources.map((source, number) =>
    make(
      "li",
      {},
      make("a", { href: `#${number + 1}` }, make("bdi", {}, source.dataset.key)),
      make(
        "small",
        {},
        ` ${count(Number(source.dataset.words), "word")}, ${count(Number(source.dataset.clusters), "cluster")}`,
      ),
    ),
  );
  return make(
    "details",
    { open: sources.length <= 12 ? "" : null },
    make("summary", {}, count(sources.length, "document")),
    make("ol", {}, ...items),
  );
}

/** Returns the numbered clusters; `link` creates the link to a span. */
function clusterList(doc, link) {
  const items = doc.clusters.map((cluster, c) =>
    make(
      "li",
      {},
      make("span", { class: `chip ${clusterClass(c)}` }, `${c + 1}`),
      make(
        "span",
        { class: "members" },
        // The space that does not break keeps the dot out of the beginning of a line.
        ...cluster.flatMap((number, place) => [place ? "\u00a0· " : "", link(doc.spans[number])]),
      ),
    ),
  );
  return make(
    "div",
    {},
    make("h3", {}, count(doc.clusters.length, "cluster")),
    items.length
      ? make("ol", {}, ...items)
      : make("p", { class: "hint" }, "No two spans refer to the same thing."),
  );
}

/** Returns the missed gold links, each with the reason. */
function missedList(doc, link) {
  const missed = doc.missed();
  const expected = doc.gold.flat().filter((span) => doc.goldAntecedents(span).length).length;
  const items = missed.map((span) => {
    const nearest = doc.goldAntecedents(span).at(-1);
    const { kind } = explain(doc, span, nearest);
    return make(
      "li",
      {},
      make(
        "span",
        { class: "members" },
        link(span),
        " → ",
        link(nearest),
        make("small", { class: "kind" }, ` ${kind}`),
      ),
    );
  });
  return make(
    "div",
    { class: "missed-links" },
    make("h3", {}, `${missed.length} of ${count(expected, "gold link")} missed`),
    make("ol", {}, ...items),
  );
}
