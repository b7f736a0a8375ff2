// The details of a span: its score, head, antecedents, and missing links.

class Panel {
  /** `actions`: address(span), show(span), pick(), close(). */
  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
  }

  /** Shows a hint while no span is shown. */
  rest(doc) {
    this.#fill(
      make("h3", {}, "Details"),
      make(
        "p",
        { class: "hint" },
        "Point at a mention, tap it, or reach it with Tab to see its probability and antecedents; click to keep " +
          "them here. Select any other words to see why they are not a mention.",
      ),
    );
    this.element.classList.remove("open");
  }

  /** Shows a span; `compared` is the second span, if any, and `picking` is set while the user is picking one. */
  show(doc, span, { compared = null, picking = false } = {}) {
    this.#fill(
      this.#title(doc, span),
      this.#facts(doc, span),
      compared || picking ? this.#comparison(doc, span, compared) : null,
      this.#expected(doc, span),
      span.kept ? this.#antecedents(doc, span) : null,
      this.#head(doc, span),
      this.#tools(doc, span, picking),
    );
    this.element.classList.add("open");
  }

  #fill(...parts) {
    this.element.replaceChildren(...parts.filter(Boolean));
  }

  #link(doc, span, longest = 70) {
    return make("a", { href: this.actions.address(span) }, make("bdi", {}, doc.text(span, longest)));
  }

  #title(doc, span) {
    const cluster = doc.cluster(span);
    const chip =
      cluster >= 0 ? make("span", { class: `chip ${clusterClass(cluster)}` }, `${cluster + 1}`) : null;
    const close = make(
      "button",
      { type: "button", class: "close", "aria-label": "Close", onclick: this.actions.close },
      "×",
    );
    return make("div", { class: "title" }, chip, make("h3", { dir: "auto" }, doc.text(span, 160)), close);
  }

  #facts(doc, span) {
    const facts = make("div", { class: "facts" });
    const cluster = doc.cluster(span);
    if (cluster >= 0) {
      const place = doc.clusters[cluster].indexOf(span.number);
      const where = `mention ${place + 1} of ${doc.clusters[cluster].length} in cluster ${cluster + 1}`;
      const linked = doc.chosen[span.number] >= 0;
      const probability = linked ? ["place probability ", make("b", {}, percent(doc.places[span.number])), "; "] : [];
      facts.append(make("p", {}, ...probability, where));
    }
    const own = doc.mentionScore(span);
    if (own !== null) {
      const rank = 1 + doc.scores.filter((value) => value > own).length;
      const ranked = span.kept ? `, rank ${rank} of ${count(doc.spans.length, "kept span")}` : "";
      const shown = make("span", { class: "mention-score" }, score(own));
      facts.append(make("p", {}, make("small", {}, "mention score ", shown, ranked)));
    }
    const pruned = whyNotKept(doc, span);
    if (pruned) facts.append(this.#reason(doc, pruned));
    return facts;
  }

  #reason(doc, reason) {
    const sum = reason.terms
      ? make(
          "p",
          { class: "sum" },
          `s = ${addition(reason.terms.factors)}`,
          make("small", {}, " (both mention scores + antecedent score)"),
        )
      : null;
    return make(
      "div",
      { class: `reason ${reason.kind === "linked" ? "good" : "bad"}` },
      make("b", {}, reason.kind),
      make("p", {}, reason.text),
      sum,
    );
  }

  #comparison(doc, span, compared) {
    const section = make("section", { class: "comparison", "aria-live": "polite" });
    if (!compared) {
      section.append(
        make("p", { class: "picking" }, "Pick the other mention, or select its words. Press Esc to cancel."),
      );
      return section;
    }
    section.append(
      make("h4", {}, "With ", this.#link(doc, compared)),
      this.#reason(doc, explain(doc, span, compared)),
    );
    return section;
  }

  /** The gold links of this span, with the reasons why they are missing. */
  #expected(doc, span) {
    if (!doc.gold.length) return null;
    const gold = doc.goldOf.get(span.key);
    if (gold === undefined) {
      return doc.cluster(span) >= 0
        ? make("p", { class: "expected" }, "Not a mention in the gold clusters.")
        : null;
    }
    const before = doc.goldAntecedents(span);
    // The first mention has no antecedent; the next one is expected to link to it.
    const partners = before.length ? before.slice(-3).reverse() : doc.gold[gold].slice(1, 2);
    if ((before.length ? before : partners).some((other) => doc.together(span, other))) {
      return make("p", { class: "expected" }, `✓ Linked as in gold cluster ${gold + 1}.`);
    }
    const section = make(
      "section",
      { class: "expected" },
      make("h4", {}, `Expected by gold cluster ${gold + 1}, but missing`),
    );
    for (const other of partners) {
      section.append(make("p", {}, "link with ", this.#link(doc, other)));
      if (span.kept) section.append(this.#reason(doc, explain(doc, span, other))); // otherwise, the reason is above
    }
    return partners.length
      ? section
      : make("p", { class: "expected" }, `The only mention of gold cluster ${gold + 1}.`);
  }

  #antecedents(doc, span) {
    const own = doc.mentionScore(span);
    const rows = doc.best[span.number].map(([number, pair, probability]) => {
      const other = doc.spans[number];
      const gold = doc.goldAntecedents(span).includes(other);
      return {
        probability,
        chosen: doc.chosen[span.number] === number,
        name: [
          this.#link(doc, other),
          gold ? make("span", { class: "in-gold", title: "in the same gold cluster" }, " ✓ gold") : null,
        ],
        small: addition([own, doc.scores[number], pair]),
      };
    });
    const none = {
      probability: doc.dummyProbability(span),
      chosen: doc.chosen[span.number] < 0,
      name: ["no antecedent"],
      small: "score 0 by definition",
    };
    const place = rows.findIndex((row) => row.probability < none.probability);
    rows.splice(place < 0 ? rows.length : place, 0, none);
    return make(
      "section",
      { class: "antecedents" },
      make("h4", {}, "Best antecedents"),
      make("ol", {}, ...rows.map((row) => this.#antecedent(row))),
      make("small", {}, "Scores: both mention scores + antecedent score."),
    );
  }

  #antecedent({ probability, chosen, name, small }) {
    const item = make(
      "li",
      { class: chosen ? "chosen" : null },
      make("span", { class: "name" }, chosen ? "→ " : null, ...name),
      make("span", { class: "probability" }, percent(probability)),
      make("small", {}, small),
    );
    item.style.setProperty("--share", probability.toFixed(4));
    return item;
  }

  #head(doc, span) {
    const weights = span.end > span.start ? doc.attention(span) : null;
    if (!weights) return null;
    const words = weights.map((weight, place) => {
      const word = make(
        "span",
        { class: "weight" },
        make("bdi", { class: "w" }, doc.words[span.start + place]),
        make("small", {}, percent(weight)),
      );
      word.style.setProperty("--attention", weight.toFixed(3));
      return word;
    });
    return make(
      "section",
      { class: "head" },
      make("h4", {}, "Head attention"),
      make("div", { class: "weights" }, ...words),
    );
  }

  #tools(doc, span, picking) {
    const tools = make("p", { class: "tools" });
    const cluster = doc.clusters[doc.cluster(span)];
    if (cluster) {
      const place = cluster.indexOf(span.number);
      for (const [name, other] of [
        ["‹ previous", cluster[place - 1]],
        ["next ›", cluster[place + 1]],
      ]) {
        if (other !== undefined)
          tools.append(make("a", { class: "button", href: this.actions.address(doc.spans[other]) }, name));
      }
    }
    tools.append(
      make(
        "button",
        { type: "button", class: "pick", "aria-pressed": `${picking}`, onclick: this.actions.pick },
        "Why (not) linked with …?",
      ),
    );
    return tools;
  }
}
