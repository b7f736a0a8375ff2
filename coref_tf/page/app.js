// The page: the displayed document and span, and how pointer, keyboard and URL change them.

class App {
  constructor() {
    this.settings = JSON.parse(document.getElementById("settings").textContent);
    this.sources = [...document.querySelectorAll("script.document")];
    this.parts = Object.fromEntries(
      ["contents", "name", "turn", "facts", "tap", "text", "panel", "clusters"].map((id) => [
        id,
        document.getElementById(id),
      ]),
    );
    this.shown = { heads: false, quotations: true, gold: true, kept: false };
    this.least = null; // the setting of the dial
    this.number = -1; // the index of the document
    this.pinned = null; // the span whose details stay open
    this.compared = null;
    this.picking = false;
    this.panel = new Panel(this.parts.panel, {
      address: (span) => this.address(span),
      pick: () => this.pick(),
      close: () => this.close(),
    });
    if (this.sources.length > 1) {
      this.parts.contents.append(tableOfContents(this.sources));
      this.parts.contents.hidden = false;
    }
    this.#controls();
    this.#listen();
  }

  // --- Navigation -----------------------------------------------------------------------------------------

  /** Returns the URL fragment of a span: #3/12-14 means words 12 to 14 of document 3. */
  address(span) {
    return `#${this.number + 1}/${span.key}`;
  }

  /** Shows the document and span in the URL. */
  follow() {
    const [, number, start, end] = /^#(\d+)(?:\/(\d+)-(\d+))?$/.exec(location.hash) ?? [null, 1];
    if (location.hash === "#text" && this.number >= 0) return;
    this.open(Math.min(Math.max(Number(number) - 1, 0), this.sources.length - 1));
    if (start !== undefined && Number(start) <= Number(end) && Number(end) < this.doc.words.length) {
      this.choose(this.doc.span(Number(start), Number(end)), true);
    }
  }

  /** Writes the fragment to the URL, so that it survives reloading and copying. */
  note(address) {
    history.replaceState(null, "", address);
  }

  open(number) {
    if (number === this.number || !this.sources.length) return;
    this.number = number;
    const { parts, sources } = this;
    this.show(new CorefDocument(JSON.parse(sources[number].textContent), this.settings), sources[number].dataset.key);
    parts.turn.replaceChildren(
      ...[
        [number - 1, "‹ previous"],
        [number + 1, "next ›"],
      ]
        .filter(([other]) => other in this.sources)
        .map(([other, name]) =>
          make("a", { class: "button", href: `#${other + 1}`, title: this.sources[other].dataset.key }, name),
        ),
    );
    for (const link of parts.contents.querySelectorAll("a")) {
      if (link.hash === `#${number + 1}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    window.scrollTo(0, 0);
  }

  /** Shows a document, without a span. */
  show(doc, name) {
    this.doc = doc;
    this.pinned = this.compared = null;
    this.picking = false;
    if (this.least !== null) doc.dial(this.least);
    this.parts.name.textContent = name;
    document.getElementById("show-gold").hidden = !doc.gold.length;
    document.getElementById("show-heads").hidden = !doc.heads;
    document.getElementById("show-quotations").hidden = !doc.quotations.length;
    this.#list();
    this.draw();
    this.panel.rest(doc);
  }

  /** Sets the dial, which removes or restores links, for this document and those opened later. */
  turn(least) {
    this.least = least;
    this.doc.dial(least);
    this.#list();
    this.draw();
    if (this.pinned)
      this.panel.show(this.doc, this.pinned, { compared: this.compared, picking: this.picking });
  }

  /** Updates the elements around the text. */
  #list() {
    const { doc, parts } = this;
    parts.facts.textContent =
      `${count(doc.words.length, "word")}, ${count(doc.clusters.length, "cluster")}` +
      `, ${count(doc.spans.length, "span")} kept`;
    parts.tap.hidden = !doc.clusters.length;
    const address = (span) => this.address(span);
    const link = (span) => make("a", { href: address(span) }, make("bdi", {}, doc.text(span, 60)));
    parts.clusters.replaceChildren(
      clusterList(doc, link),
      ...(doc.quotations.length ? [quotationList(doc, address, (quotation) => this.#point(quotation))] : []),
      ...(doc.gold.length ? [missedList(doc, link)] : []),
    );
    this.dial.show(doc);
  }

  /** Redraws the text. */
  draw() {
    const { doc } = this;
    const spans = doc.spans.filter((span) => this.shown.kept || doc.cluster(span) >= 0);
    const missed = this.shown.gold ? doc.gold.flat().filter((span) => doc.cluster(span) < 0) : [];
    const unique = new Map([...spans, ...missed].map((span) => [span.key, span]));
    const quoted = this.shown.quotations ? doc.quotations : [];
    this.view = new TextView(doc, [...unique.values()], (span) => this.address(span), quoted);
    this.parts.text.replaceChildren(
      doc.words.length ? this.view.element : make("p", { class: "hint" }, "This document has no words."),
    );
    this.highlight(this.pinned);
  }

  // --- The displayed span ---------------------------------------------------------------------------------

  /** Pins a span, or compares it with the pinned one if the user is picking a second span. */
  choose(span, scroll = false) {
    if (this.picking && this.pinned && span.key !== this.pinned.key) {
      this.compared = span;
      this.picking = false;
    } else if (!this.pinned || span.key !== this.pinned.key) {
      this.pinned = span;
      this.compared = null;
      this.note(this.address(span));
    }
    this.panel.show(this.doc, this.pinned, { compared: this.compared, picking: this.picking });
    this.highlight(this.pinned);
    this.#bringIntoView(span, scroll);
  }

  /** Whether the details cover the text, as on a phone. */
  get isSheet() {
    return getComputedStyle(this.parts.panel).position === "fixed";
  }

  preview(span) {
    // A sheet would cover the mention, which would hide the sheet, and so on.
    if (this.pinned || this.isSheet) return;
    if (span) this.panel.show(this.doc, span);
    else this.panel.rest(this.doc);
    this.highlight(span);
  }

  pick() {
    this.picking = !this.picking;
    this.compared = null;
    this.panel.show(this.doc, this.pinned, { compared: this.compared, picking: this.picking });
    this.parts.panel.querySelector(".pick").focus();
  }

  /** Closes the details; the focus moves to the span, or stays there. */
  close() {
    const inside = this.parts.panel.contains(document.activeElement);
    const tag = this.#tagOf(this.pinned);
    this.pinned = this.compared = null;
    this.picking = false;
    this.note(`#${this.number + 1}`);
    this.panel.rest(this.doc);
    this.highlight(null);
    if (inside && tag) this.#focusQuietly(tag);
  }

  #tagOf(span) {
    return span && this.view.mentions.get(span.key)?.querySelector(".tag");
  }

  /** Focuses a tag without showing its span. */
  #focusQuietly(tag) {
    this.quiet = true;
    tag.focus({ preventScroll: true });
    this.quiet = false;
  }

  /** Highlights a span and the mentions of its cluster. */
  highlight(span) {
    this.parts.text.classList.toggle("focused", Boolean(span));
    this.view.highlight([span, this.compared].filter(Boolean));
  }

  /** Makes a quotation stand out. */
  #point(quotation) {
    this.close();
    this.view.point(quotation);
    this.#bringIntoView(quotation.span, true);
  }

  #bringIntoView(span, scroll) {
    const word = this.view.words[span.start];
    const box = word.getBoundingClientRect();
    const sheet = this.parts.panel.getBoundingClientRect();
    const { isSheet } = this;
    const bottom = isSheet && sheet.height ? sheet.top : window.innerHeight;
    if (scroll ? box.top < 0 || box.bottom > bottom : isSheet && box.bottom > bottom) {
      window.scrollBy(0, box.top - bottom / 3);
    }
  }

  // --- Events ---------------------------------------------------------------------------------------------

  #spanOf(target) {
    const element = target.closest?.(".mention");
    return element ? this.doc.span(...element.dataset.span.split("-").map(Number)) : null;
  }

  #listen() {
    const { text, panel } = this.parts;
    window.addEventListener("hashchange", () => this.follow());
    text.addEventListener(
      "pointerover",
      (event) => event.pointerType === "mouse" && this.preview(this.#spanOf(event.target)),
    );
    text.addEventListener("pointerleave", () => this.preview(null));
    text.addEventListener("focusin", (event) => {
      if (event.target.matches(".tag:focus-visible") && !this.picking && !this.quiet)
        this.choose(this.#spanOf(event.target));
    });
    text.addEventListener("click", (event) => {
      if (!getSelection().isCollapsed) return;
      const span = this.#spanOf(event.target);
      if (!span) return this.close();
      event.preventDefault();
      this.choose(span);
      if (event.detail === 0) panel.focus({ preventScroll: true }); // Enter moves to the details
    });
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.selecting);
      this.selecting = setTimeout(() => this.#selected(), 250);
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Shows the selected words as a span. */
  #selected() {
    const selection = getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (!this.parts.text.contains(range.commonAncestorContainer)) return;
    const inside = this.view.words.flatMap((word, number) => (range.intersectsNode(word) ? [number] : []));
    const touched = inside.filter((number) => covers(range, this.view.words[number]));
    if (touched.length) this.choose(this.doc.span(touched[0], touched.at(-1)));
  }

  #key(event) {
    if (event.key === "Escape" && this.picking) this.pick();
    else if (event.key === "Escape" && this.pinned) this.close();
    else if (event.target.matches?.(".tag") && event.key.startsWith("Arrow")) this.#arrow(event);
  }

  /** Left and right move among the mentions of the text, up and down among those of the cluster. */
  #arrow(event) {
    const along = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const tags = [...this.parts.text.querySelectorAll(along ? ".tag" : ".same > .tag")];
    const step = event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 1;
    const next = tags[tags.indexOf(event.target) + step];
    if (next) next.focus();
    event.preventDefault();
  }

  #showHeads() {
    document.body.classList.toggle("no-heads", !this.shown.heads);
  }

  #controls() {
    for (const name of Object.keys(this.shown)) {
      document.querySelector(`#show-${name} input`).addEventListener("change", (event) => {
        this.shown[name] = event.target.checked;
        if (name === "heads") this.#showHeads();
        else this.draw();
      });
    }
    this.#showHeads();
    this.dial = new Dial((least) => this.turn(least));
    document.getElementById("theme").before(this.dial.element);
    switchThemes(document.getElementById("theme"));
  }
}
