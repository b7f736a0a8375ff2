// The tools for the chosen words, and the list of clusters.

/** Returns the panel next to the text; `app` has the chosen words and handles the buttons. */
function selectionPanel(app) {
  const { doc, edits } = app;
  const chosen = app.source ?? app.chosen;
  if (!chosen)
    return [
      make("h3", {}, "Nothing is chosen"),
      make(
        "p",
        { class: "hint" },
        "Click a mention to correct it, or select other words to mark them. See “How to correct a text” below.",
      ),
    ];
  const number = edits.cluster(chosen);
  const chip =
    number >= 0 ? make("span", { class: `chip ${clusterClass(number)}` }, `${number + 1}`) : null;
  const close = make(
    "button",
    { type: "button", class: "close", "aria-label": "Close", onclick: () => app.choose(null) },
    "×",
  );
  return [
    make("div", { class: "title" }, chip, make("h3", { dir: "auto" }, doc.text(chosen, 120)), close),
    app.picking ? pickingHint(app) : null,
    number >= 0 ? mentionTools(app) : wordTools(app),
    app.picking ? null : edges(app),
  ].filter(Boolean);
}

function pickingHint(app) {
  const what = app.picking === "join" ? "Its cluster is joined with" : "It is moved to";
  return make(
    "p",
    { class: "picking" },
    `${what} the cluster of the mention that you choose next, or whose number you click below. Press Esc to cancel.`,
  );
}

function tool(name, title, action, pressed = null) {
  return make("button", { type: "button", title, onclick: action, "aria-pressed": pressed }, name);
}

function mentionTools(app) {
  return make(
    "div",
    { class: "tools" },
    tool("Remove", "Delete", () => app.remove()),
    tool("Move to …", "M", () => app.pick("move"), `${app.picking === "move"}`),
    tool("Join with …", "J", () => app.pick("join"), `${app.picking === "join"}`),
    tool("On its own", "O", () => app.putInto()),
    tool("Split from here", "S", () => app.split()),
  );
}

function wordTools(app) {
  return make(
    "div",
    { class: "tools" },
    tool("Mark as a new cluster", "Enter", () => app.putInto()),
    tool("Add to …", "M", () => app.pick("move"), `${app.picking === "move"}`),
  );
}

/** Returns the buttons that move the beginning and the end of the chosen words. */
function edges(app) {
  const button = (name, edge, step) =>
    make("button", { type: "button", "aria-label": name, onclick: () => app.resize(edge, step) }, step < 0 ? "‹" : "›");
  return make(
    "div",
    { class: "edges" },
    make("span", {}, "Beginning ", button("Begin a word earlier", "start", -1), " ", button("Begin a word later", "start", 1)),
    make("span", {}, "End ", button("End a word earlier", "end", -1), " ", button("End a word later", "end", 1)),
  );
}

/** Returns the clusters; clicking a number puts the chosen words there. */
function annotatedClusters(app) {
  const { edits, doc, chosen } = app;
  const items = edits.clusters.map(({ number, spans }) => {
    const chip = make(
      "button",
      {
        type: "button",
        class: `chip ${clusterClass(number)}`,
        "aria-label": `Cluster ${number + 1}${chosen ? ": put the chosen words here" : ""}`,
        disabled: chosen ? null : "",
        onclick: () => app.pickCluster(number),
      },
      `${number + 1}`,
    );
    const link = (span) =>
      make("a", { href: `#${span.key}`, "data-span": span.key }, make("bdi", {}, doc.text(span, 60)));
    const members = spans.flatMap((span, place) => [place ? " · " : "", link(span)]);
    return make("li", {}, chip, make("span", { class: "members" }, ...members));
  });
  return make(
    "div",
    {},
    make("h3", {}, count(items.length, "cluster")),
    items.length ? make("ol", {}, ...items) : make("p", { class: "hint" }, "No words are marked."),
  );
}

/** Returns the texts of the folder, with the state of each. */
function textList(texts, current) {
  const states = { new: "to do", draft: "draft", annotated: "annotated", unreadable: "can't be read" };
  return texts.map(({ name, state, words, problem }) => {
    const link =
      state === "unreadable"
        ? make("span", { title: problem }, name)
        : make("a", { href: `#${encodeURIComponent(name)}`, "aria-current": name === current ? "page" : null }, name);
    return make("li", {}, link, make("small", {}, states[state] + (words ? `, ${count(words, "word")}` : "")));
  });
}
