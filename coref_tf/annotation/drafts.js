// Unsaved corrections, stored immediately in this browser and soon afterwards on the server's disk.

const RETRY = 3000; // milliseconds

class Drafts {
  /** `say(words)` is called with the state of a draft. */
  constructor(folder, say) {
    this.folder = folder;
    this.say = say;
    this.waiting = null; // the draft that has not been sent yet
    this.sending = null;
  }

  #key(name) {
    return `draft.${this.folder}/${name}`;
  }

  /** Stores a draft: { name, tokens, version, clusters }. */
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
      this.say("Draft saved.");
    } catch ({ status, message }) {
      this.say(status ? message : "The server can't be reached. Your changes are stored in this browser.");
    }
    if (this.waiting) this.#sendIn(RETRY);
  }

  /** Stops sending until the next draft, so that no draft arrives after the text is saved. */
  async pause() {
    clearTimeout(this.timer);
    this.waiting = null;
    await this.sending;
    clearTimeout(this.timer);
  }

  /** Returns the newest draft of a text, from this browser or the server. */
  newest({ name, tokens, draft }) {
    let own = null;
    try {
      own = JSON.parse(remembered(this.#key(name)));
    } catch {
      // not written by this page
    }
    return [own, draft]
      .filter((each) => each && each.tokens === tokens)
      .sort((a, b) => b.time - a.time)[0];
  }

  /** Deletes the draft of a saved text. */
  forget(name) {
    try {
      localStorage.removeItem(`coref_tf.${this.#key(name)}`);
    } catch {
      // there is no storage
    }
  }
}
