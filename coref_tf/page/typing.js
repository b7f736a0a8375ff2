// The page to type into: a text goes to the server, and what comes back is shown as any document is.

const LONGEST_LINK = 100_000; // characters; browsers and mail cut links that are much longer

// What comes before the server's own words.
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
    this.request = null; // what is under way
    this.answer = null; // what is shown
    this.choices = new Choices(part("choices"), this.settings.models);
    new Files(this.form, part("actions"), this.settings.endings, (file) => this.open(file));
    part("examples").append(...EXAMPLES.map((example) => this.#example(example)));
    this.parts.facts.after(this.dial.element); // a phone shows no more than the result at a time
    this.parts.turn.setAttribute("role", "group");
    this.parts.turn.setAttribute("aria-label", "Copy the result");
    this.parts.turn.append(
      this.#copyButton("resolved text", () => this.#resolved()),
      this.#copyButton("JSON", async () => JSON.stringify((await this.#dialled()).result, null, 1)),
      this.#copyButton("link", async () => this.#link()),
    );
    this.#listenToForm();
  }

  // --- Where we are ---------------------------------------------------------------------------------------

  /** The address holds the text, whatever span is shown. */
  note() {}

  /** Resolves the text that the address holds. */
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

  /** The address of the text that is shown; null where it is too long for one. */
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
      this.say("problem", "There is no text yet: type one, paste one, or click an example.");
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

  /** What the server answers; null where it can't, which is said, or where nobody waits for it any more. */
  async #wait(words, send) {
    const request = new AbortController();
    this.#busy(request);
    this.say("status", words);
    const answer = await send(request.signal).catch((error) => ({ error }));
    if (this.request !== request) return null; // stopped, or there is another
    this.#busy(null);
    if (!answer.error) return answer;
    this.say("problem", answer.error.message);
    return null;
  }

  /** Ends what is under way. */
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

  /** The answer for the links that the dial leaves; what is shown holds all of them. */
  async #dialled() {
    const { asked } = this.answer;
    if (asked.min_probability !== this.doc.least) {
      const again = { ...asked, min_probability: this.doc.least };
      this.answer = { ...(await ask(again)), asked: again };
    }
    return this.answer;
  }

  /** The text with its pronouns replaced, which the server does in English only. */
  async #resolved() {
    const { resolved } = await this.#dialled();
    if (resolved === null) throw new Error("Pronouns can be replaced in English texts only.");
    return resolved;
  }

  turn(least) {
    super.turn(least);
    this.say("status"); // which counts what was found
    clearTimeout(this.noting); // browsers refuse a new address in every frame
    this.noting = setTimeout(() => this.#noteText(), 200);
  }

  /** What has been found, in a line, with what may be better. */
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

  /** Says something in the line of status, or of problems; nothing there stays of what was said before. */
  say(kind, ...words) {
    for (const line of Object.values(this.says)) line.replaceChildren();
    this.says[kind].append(...words);
  }

  // --- What people do -------------------------------------------------------------------------------------

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
    // Links to spans show them, and leave the address as it is.
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
      if (text === null) this.say("problem", "The text is too long to be held by a link.");
      else if (await copied(text)) this.say("status", `Copied: ${what}.`);
      else showToCopy(what, text);
    };
    return make("button", { type: "button", onclick: copy }, `Copy ${what}`);
  }
}

/** What the server says of a text. */
function ask(asked, signal) {
  return send("resolve", "application/json", JSON.stringify(asked), signal);
}

/** The text of a file. */
function extract(file, signal) {
  const query = new URLSearchParams({ name: file.name });
  return send(`text?${query}`, "application/octet-stream", file, signal);
}

/** The server's answer; an Error that a person can read where there is none. */
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
