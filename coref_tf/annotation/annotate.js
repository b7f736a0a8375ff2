// The annotation page: the open text, the chosen words, and the changes made to them.

class AnnotateApp extends Chooser {
  constructor() {
    super();
    this.settings = JSON.parse(document.getElementById("settings").textContent);
    const ids = ["name", "facts", "status", "problem", "text", "panel", "clusters", "texts"];
    ids.push("undo", "redo", "skip", "save", "save-next", "theme");
    this.parts = Object.fromEntries(ids.map((id) => [id, document.getElementById(id)]));
    this.drafts = new Drafts(this.settings.folder, (words) => this.parts.status.replaceChildren(words));
    this.skipped = new Set();
    switchThemes(this.parts.theme);
    this.#listen();
  }

  // --- Texts ----------------------------------------------------------------------------------------------

  /** Opens the text named in the URL, or else the next one. */
  async follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!this.doc || name !== this.doc.name) await this.open(name || null);
  }

  async open(name) {
    this.say("status", name ? `Opening ${name} …` : "Looking for the text that the model is least certain about …");
    let data;
    try {
      data = await request("open", { name, skipped: [...this.skipped] });
    } catch (error) {
      return this.say("problem", error.message);
    }
    if (data.name === null) return this.#finish();
    const draft = this.drafts.newest(data);
    const isCurrent = draft?.version === data.version;
    this.data = data;
    this.edits = new Edits(isCurrent ? draft.clusters : data.clusters);
    this.doc = new AnnotatedDocument(data, this.edits);
    this.chosen = this.source = this.picking = null;
    history.replaceState(null, "", `#${encodeURIComponent(data.name)}`);
    this.parts.name.textContent = data.name;
    for (const id of ["save", "save-next", "skip"]) this.parts[id].disabled = false;
    this.draw();
    window.scrollTo(0, 0);
    this.parts.text.focus({ preventScroll: true });
    this.say("status", ...this.#greeting(draft, isCurrent));
    this.list();
  }

  /** Returns the message for an opened text; a draft can be discarded or restored, and either can be undone. */
  #greeting(draft, isCurrent) {
    const offer = (name, clusters) => {
      const onclick = () => this.change(() => this.edits.replace(clusters));
      return make("button", { type: "button", onclick }, name);
    };
    if (!draft) return [this.data.version ? "This text is already annotated." : ""];
    if (isCurrent) return ["Your unsaved changes were restored. ", offer("Discard them", this.data.clusters)];
    return ["There are unsaved changes to an earlier version of this text. ", offer("Show them", draft.clusters)];
  }

  #finish() {
    const done = this.skipped.size ? "All other texts are annotated." : "All texts are annotated.";
    const command = make("code", {}, this.settings.finetune);
    this.say("status", `${done} Run `, command, " to fine-tune a model on them.");
    this.list();
  }

  /** Updates the list of texts. */
  async list() {
    const { texts } = await request("documents").catch(() => ({ texts: null }));
    if (!texts) return;
    const done = texts.filter(({ state }) => state === "annotated").length;
    this.parts.texts.querySelector("summary").textContent = `${done} of ${count(texts.length, "text")} annotated`;
    this.parts.texts.querySelector("ol").replaceChildren(...textList(texts, this.doc?.name));
  }

  /** Saves the text, and opens the next one if `next` is set. */
  async save(next = false, overwrite = false) {
    if (!this.doc) return;
    const { name } = this.doc;
    const { tokens, version } = this.data;
    const saved = this.edits.state;
    await this.drafts.pause();
    try {
      const content = { name, tokens, version, overwrite, clusters: this.edits.plain };
      this.data.version = (await request("save", content)).version;
    } catch (error) {
      return this.#notSaved(error, next);
    }
    if (this.edits.state === saved) this.drafts.forget(name);
    else this.#keepDraft();
    this.skipped.delete(name);
    this.say("status", `${name} was saved.`);
    if (next) await this.open(null);
    else this.list();
  }

  #notSaved({ status, message }, next) {
    this.#keepDraft();
    if (status !== 409 || message.includes("reload")) return this.say("problem", `Not saved. ${message}`);
    const again = () => this.save(next, true);
    const button = make("button", { type: "button", onclick: again }, "Save mine instead");
    this.say("problem", `Not saved. ${message} `, button);
  }

  skip() {
    if (this.doc) this.skipped.add(this.doc.name);
    this.open(null);
  }

  /** Shows a message in the status or problem line, and clears both before. */
  say(kind, ...words) {
    for (const line of ["status", "problem"]) this.parts[line].replaceChildren();
    this.parts[kind].append(...words);
  }

  // --- Changes --------------------------------------------------------------------------------------------

  /** Changes the clusters, saves a draft, and redraws the text. */
  change(edit, chosen = this.chosen) {
    const before = this.edits.state;
    edit();
    this.chosen = chosen;
    this.picking = this.source = null;
    this.draw();
    if (this.edits.state === before) return;
    this.say("status");
    this.#keepDraft();
  }

  #keepDraft() {
    const { name, tokens, version } = this.data;
    this.drafts.keep({ name, tokens, version, clusters: this.edits.plain });
  }

  undo() {
    if (this.doc) this.#step(() => this.edits.undo());
  }

  redo() {
    if (this.doc) this.#step(() => this.edits.redo());
  }

  /** Undoes or redoes a change; clears the choice if the chosen mention no longer exists. */
  #step(step) {
    this.change(step);
    if (this.chosen && this.edits.cluster(this.chosen) < 0) this.choose(null);
  }

  /** Puts the chosen words into a cluster, or into a new one. */
  putInto(number) {
    const span = this.source ?? this.chosen;
    if (!span) return;
    const crossing = this.edits.crossing(span);
    if (crossing) return this.#crosses(crossing);
    this.change(() => this.edits.put(span, number), span);
  }

  remove() {
    if (this.chosen && this.edits.cluster(this.chosen) >= 0) this.change(() => this.edits.remove(this.chosen));
  }

  split() {
    if (this.chosen && this.edits.cluster(this.chosen) >= 0) this.change(() => this.edits.split(this.chosen));
  }

  /** Moves one edge of the chosen words, and of their mention, by a word. */
  resize(edge, step) {
    if (!this.chosen || this.picking) return;
    const { start, end } = { ...this.chosen, [edge]: this.chosen[edge] + step };
    if (start < 0 || start > end || end >= this.doc.words.length) return;
    const next = this.doc.span(start, end);
    if (this.edits.cluster(this.chosen) < 0) return this.choose(next);
    const crossing = this.edits.crossing(next, this.chosen);
    if (crossing) return this.#crosses(crossing);
    if (this.edits.cluster(next) >= 0) return this.say("problem", "These words are already marked.");
    this.change(() => this.edits.resize(this.chosen, next), next);
  }

  #crosses(other) {
    this.say("problem", `These words cross the mention “${this.doc.text(other, 60)}”: remove or change it first.`);
  }

  // --- Drawing --------------------------------------------------------------------------------------------

  draw() {
    this.view = new TextView(this.doc, this.edits.spans, (span) => `#${span.key}`);
    this.parts.text.replaceChildren(this.view.element);
    for (const tag of this.parts.text.querySelectorAll(".tag")) tag.tabIndex = -1;
    const alone = this.edits.clusters.filter(({ spans }) => spans.length === 1).length;
    this.parts.facts.textContent =
      `${count(this.doc.words.length, "word")}, ${count(this.edits.spans.length, "mention")} in ` +
      `${count(this.edits.clusters.length, "cluster")}` +
      (alone ? `; ${count(alone, "cluster")} with only one mention ${alone === 1 ? "is" : "are"} not saved` : "");
    this.parts.undo.disabled = !this.edits.past.length;
    this.parts.redo.disabled = !this.edits.future.length;
    this.show();
  }

  /** Highlights the chosen words, and scrolls a word into view. */
  show(word = null) {
    if (!this.doc) return;
    for (const element of this.parts.text.querySelectorAll(".chosen-word, .current"))
      element.classList.remove("chosen-word", "current");
    for (const span of [this.source, this.chosen]) {
      if (!span) continue;
      this.view.mentions.get(span.key)?.classList.add("current");
      for (let w = span.start; w <= span.end; w++) this.view.words[w].classList.add("chosen-word");
    }
    document.body.classList.toggle("picking-mode", Boolean(this.picking));
    this.parts.panel.classList.toggle("open", Boolean(this.chosen));
    this.parts.panel.replaceChildren(...selectionPanel(this));
    this.parts.clusters.replaceChildren(annotatedClusters(this));
    if (word !== null) this.view.words[word].scrollIntoView({ block: "nearest" });
  }

  // --- Events ---------------------------------------------------------------------------------------------

  #listen() {
    const { parts } = this;
    const actions = { undo: () => this.undo(), redo: () => this.redo(), skip: () => this.skip() };
    Object.assign(actions, { save: () => this.save(), "save-next": () => this.save(true) });
    for (const [id, action] of Object.entries(actions)) parts[id].addEventListener("click", action);
    parts.text.addEventListener("click", (event) => {
      event.preventDefault();
      if (!getSelection().isCollapsed && !event.shiftKey) return;
      const word = event.target.closest(".w")?.dataset.word;
      const mention = event.target.closest(".mention")?.dataset.span; // its brackets, its number or a gap in it
      if (word !== undefined) this.click(Number(word), event.shiftKey);
      else if (mention) this.choose(this.doc.span(...mention.split("-").map(Number)));
      else if (!this.picking) this.choose(null);
    });
    parts.clusters.addEventListener("click", (event) => {
      const key = event.target.closest("a")?.dataset.span;
      if (!key) return;
      event.preventDefault();
      const [start, end] = key.split("-").map(Number);
      this.choose(this.doc.span(start, end));
      this.view.words[start]?.scrollIntoView({ block: "nearest" });
    });
    document.addEventListener("selectionchange", () => {
      clearTimeout(this.selecting);
      this.selecting = setTimeout(() => this.selected(), 250);
    });
    document.addEventListener("keydown", (event) => pressed(this, event) && event.preventDefault());
    window.addEventListener("hashchange", () => this.follow());
  }
}

const app = new AnnotateApp();
app.follow();
