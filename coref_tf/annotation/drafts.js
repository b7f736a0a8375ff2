// Corrections that are not saved yet: in this browser at once, and soon on the server's disk.

const RETRY = 3000; // milliseconds

class Drafts {
  /** `say(words)` hears how far a draft has come. */
  constructor(folder, say) {
    this.folder = folder;
    this.say = say;
    this.waiting = null; // the draft that the server doesn't have yet
    this.sending = null;
  }

  #key(name) {
    return `draft.${this.folder}/${name}`;
  }

  /** Keeps a draft: { name, tokens, version, clusters }. */
  keep(draft) {
    this.waiting = { ...draft, time: Date.now() };
    remember(this.#key(draft.name), JSON.stringify(this.waiting));
    this.#sendIn(300);
  }

  #sendIn(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.sending ??= this.#send().finally(() => (this.sending = null));
    }, milliseconds);
  }

  async #send() {
    const draft = this.waiting;
    if (!draft) return;
    try {
      await request("draft", draft);
      if (this.waiting === draft) this.waiting = null;
      this.say("Draft kept.");
    } catch ({ status, message }) {
      this.say(status ? message : "The server can't be reached. Your changes are kept in this browser.");
    }
    if (this.waiting) this.#sendIn(RETRY);
  }

  /** Sends nothing until another draft is to be kept, so that no draft arrives after what is saved. */
  async pause() {
    clearTimeout(this.timer);
    this.waiting = null;
    await this.sending;
    clearTimeout(this.timer);
  }

  /** The newest draft of a text that came from the server, which may have a draft as well. */
  newest({ name, tokens, draft }) {
    let own = null;
    try {
      own = JSON.parse(remembered(this.#key(name)));
    } catch {
      // not ours
    }
    return [own, draft]
      .filter((each) => each && each.tokens === tokens)
      .sort((a, b) => b.time - a.time)[0];
  }

  /** What was saved needs no draft. */
  forget(name) {
    try {
      localStorage.removeItem(`coref_tf.${this.#key(name)}`);
    } catch {
      // it never was there
    }
  }
}
