// The page of `coref serve`: sends a text to the server, and shows the result like any other document.

const LONGEST_LINK = 100_000; // characters; browsers and mail programs truncate links that are much longer

// Introductions to the server's error messages.
const TROUBLE = {
  400: "This can't be read",
  415: "This can't be read",
  413: "This is too long",
  503: "The server is busy",
  504: "This takes too long",
};

class TypingApp extends App {
  constructor() {
    super();
    const part = (id) => document.getElementById(id);
    this.form = part("typing");
    this.box = part("box");
    this.dialogue = part("dialogue").querySelector("input");
    this.buttons = { resolve: part("resolve"), stop: part("stop") };
    this.says = { status: part("status"), problem: part("problem") };
    this.number = 0;
    this.request = null; // the running request
    this.answer = null; // the displayed answer
    // A small box has no room for the sentence about files, and a file can't be dropped with a finger.
    if (matchMedia("(pointer: coarse), (max-width: 34rem)").matches)
      this.box.placeholder = this.box.placeholder.split("\n")[0];
    this.choices = new Choices(part("choices"), this.settings.models);
    new Files(this.form, part("actions"), this.settings.endings, (file) => this.open(file));
    part("examples").append(...EXAMPLES.map((example) => this.#example(example)));
    this.parts.facts.after(this.dial.element); // on a phone, only the result fits on the screen
    this.parts.turn.setAttribute("role", "group");
    this.parts.turn.setAttribute("aria-label", "Copy the result");
    this.parts.turn.append(
      this.#copyButton("resolved text", () => this.#resolved()),
      this.#copyButton("JSON", async () => JSON.stringify((await this.#dialled()).result, null, 1)),
      this.#copyButton("link", async () => this.#link()),
    );
    this.#listenToForm();
  }

  // --- Navigation -----------------------------------------------------------------------------------------

  /** The URL contains the text, regardless of the span. */
  note() {}

  /** Resolves the text in the URL. */
  follow() {
    const held = new URLSearchParams(location.hash.slice(1));
    if (!held.get("text")) return;
    this.box.value = held.get("text");
    this.dialogue.checked = held.get("dialogue") === "1";
    this.choices.set({ model: held.get("model"), genre: held.get("genre") });
    const least = Number(held.get("least"));
    this.least = least > 0 && least <= 1 ? least : null;
    this.resolve();
  }

  /** Returns the URL of the displayed text, or null if it is too long. */
  #link() {
    const { text, dialogue, model, genre } = this.answer.asked;
    const held = new URLSearchParams({ text });
    if (model) held.set("model", model);
    if (genre) held.set("genre", genre);
    if (dialogue) held.set("dialogue", 1);
    if (this.least) held.set("least", this.least);
    const link = `${location.href.split("#")[0]}#${held}`;
    return link.length <= LONGEST_LINK ? link : null;
  }

  #noteText() {
    const link = this.answer && this.#link();
    if (link) history.replaceState(null, "", link);
  }

  // --- From the text to its clusters ----------------------------------------------------------------------

  async resolve() {
    const asked = {
      text: this.box.value,
      dialogue: this.dialogue.checked,
      min_probability: this.least ?? 0,
      ...this.choices.asked,
    };
    this.stop();
    if (!asked.text.trim()) {
      this.#clear();
      this.say("problem", "There is no text yet. Type or paste one, or click an example.");
      this.box.focus();
      return;
    }
    const answer = await this.#wait("Resolving …", (signal) => ask(asked, signal));
    if (answer) this.#take({ ...answer, asked });
  }

  /** Resolves the text of a file, which the server extracts. */
  async open(file) {
    this.stop();
    const answer = await this.#wait(`Reading ${file.name} …`, (signal) => extract(file, signal));
    if (!answer) return;
    this.box.value = answer.text;
    this.dialogue.checked = false;
    this.resolve();
  }

  /** Returns the server's answer; null after an error, which is shown, or if the request was cancelled. */
  async #wait(words, send) {
    const request = new AbortController();
    this.#busy(request);
    this.say("status", words);
    const answer = await send(request.signal).catch((error) => ({ error }));
    if (this.request !== request) return null; // stopped, or replaced by another request
    this.#busy(null);
    if (!answer.error) return answer;
    this.say("problem", answer.error.message);
    return null;
  }

  /** Cancels the running request. */
  stop() {
    this.request?.abort();
    this.#busy(null);
    this.say("status");
  }

  #busy(request) {
    this.request = request;
    this.form.setAttribute("aria-busy", `${request !== null}`);
    this.buttons.resolve.disabled = request !== null;
    this.buttons.stop.hidden = request === null;
  }

  #take(answer) {
    this.answer = answer;
    this.settings = answer.settings;
    document.body.classList.remove("empty");
    this.show(new CorefDocument(answer.document, answer.settings), "Result");
    this.say("status", ...this.#summary(answer));
    this.#noteText();
    if (this.isSheet) this.parts.name.scrollIntoView();
  }

  /** Removes the displayed answer, and its text from the URL. */
  #clear() {
    this.answer = null;
    document.body.classList.add("empty");
    clearTimeout(this.noting);
    history.replaceState(null, "", location.href.split("#")[0]);
  }

  /** Returns the answer for the links that the dial keeps; the displayed answer contains all links. */
  async #dialled() {
    const { asked } = this.answer;
    if (asked.min_probability !== this.doc.least) {
      const again = { ...asked, min_probability: this.doc.least };
      this.answer = { ...(await ask(again)), asked: again };
    }
    return this.answer;
  }

  /** Returns the text with its pronouns replaced, which the server supports only in English. */
  async #resolved() {
    const { resolved } = await this.#dialled();
    if (resolved === null) throw new Error("Pronouns can only be replaced in English texts.");
    return resolved;
  }

  turn(least) {
    super.turn(least);
    this.say("status"); // it counts the clusters
    clearTimeout(this.noting); // browsers limit how often the URL changes
    this.noting = setTimeout(() => this.#noteText(), 200);
  }

  /** Summarises the result in a line, with a suggestion. */
  #summary({ dialogue, asked }) {
    const words = [`${count(this.doc.clusters.length, "cluster")} found. `];
    if (asked.dialogue) words.push(`${dialogue}.`);
    else if (dialogue) {
      const again = make("button", { type: "button", onclick: () => this.#asDialogue() }, "Read it as one");
      words.push(`This looks like a conversation: ${dialogue}. `, again);
    }
    return words;
  }

  #asDialogue() {
    this.dialogue.checked = true;
    this.resolve();
    this.buttons.stop.focus();
  }

  /** Shows a message in the status or problem line, and clears both before. */
  say(kind, ...words) {
    for (const line of Object.values(this.says)) line.replaceChildren();
    this.says[kind].append(...words);
  }

  // --- Events ---------------------------------------------------------------------------------------------

  #listenToForm() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.resolve();
    });
    this.buttons.stop.addEventListener("click", () => {
      this.stop();
      this.box.focus();
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.resolve();
    });
    // Links to spans show the span without changing the URL.
    document.addEventListener("click", (event) => {
      const hash = event.target.closest?.("a")?.getAttribute("href");
      const [, start, end] = /^#1\/(\d+)-(\d+)$/.exec(hash ?? "") ?? [];
      if (hash === "#text") (this.answer ? this.parts.text : this.box).focus();
      else if (start === undefined) return;
      else if (!event.defaultPrevented) this.choose(this.doc.span(Number(start), Number(end)), true);
      event.preventDefault();
    });
  }

  #example({ name, text, dialogue = false }) {
    const take = () => {
      this.box.value = text;
      this.dialogue.checked = dialogue;
      this.resolve();
    };
    return make("button", { type: "button", onclick: take }, name);
  }

  #copyButton(what, textOf) {
    const copy = async () => {
      const text = await textOf().catch((error) => this.say("problem", error.message));
      if (text === undefined) return;
      if (text === null) this.say("problem", "The text is too long for a link.");
      else if (await copied(text)) this.say("status", `Copied: ${what}.`);
      else showToCopy(what, text);
    };
    return make("button", { type: "button", onclick: copy }, `Copy ${what}`);
  }
}

/** Requests the result for a text. */
function ask(asked, signal) {
  return send("resolve", "application/json", JSON.stringify(asked), signal);
}

/** Requests the text of a file. */
function extract(file, signal) {
  const query = new URLSearchParams({ name: file.name });
  return send(`text?${query}`, "application/octet-stream", file, signal);
}

/** Sends a request and returns the answer; throws an Error with a readable message on failure. */
async function send(path, type, body, signal) {
  let response;
  try {
    response = await fetch(path, { method: "POST", headers: { "Content-Type": type }, body, signal });
  } catch {
    throw new Error("The server can't be reached. If it is still running, try again.");
  }
  const unreadable = { error: `the server's answer, ${response.status}, can't be read` };
  const answer = await response.json().catch(() => unreadable);
  if (!answer.error) return answer;
  const lead = TROUBLE[response.status];
  const words = `${lead ? `${lead}: ` : ""}${answer.error}`;
  throw new Error(words[0].toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : "."));
}

const app = new TypingApp();
app.follow();
