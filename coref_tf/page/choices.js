// The choice of the model and the genre.

const GENRES = {
  academic: "academic writing",
  bc: "broadcast conversation",
  bio: "biography",
  bn: "broadcast news",
  court: "court transcript",
  essay: "essay",
  letter: "letter",
  mz: "magazine",
  nw: "newswire",
  open: "any",
  pt: "Bible",
  tc: "telephone call",
  voyage: "travel guide",
  wb: "web",
  whow: "how-to guide",
};

class Choices {
  /** `models` is the server's list, with the name, label, genres and default_genre of each. */
  constructor(row, models) {
    this.models = models;
    this.model = make(
      "select",
      { id: "model" },
      ...models.map(({ name, label }) => make("option", { value: name }, label)),
    );
    this.genre = make("select", { id: "genre" });
    this.model.addEventListener("change", () => this.#listGenres());
    this.modelLabel = make("label", { for: "model" }, "Model", this.model);
    this.genreLabel = make("label", { for: "genre" }, "Genre", this.genre);
    this.modelLabel.hidden = models.length < 2;
    this.#listGenres();
    row.prepend(this.modelLabel, this.genreLabel);
  }

  #listGenres() {
    const { genres, default_genre: usual } = this.models.find(({ name }) => name === this.model.value);
    const before = this.genre.value;
    this.genre.replaceChildren(
      ...[...genres].sort().map((genre) => make("option", { value: genre }, GENRES[genre] ?? genre)),
    );
    this.genre.value = genres.includes(before) ? before : usual;
    this.genreLabel.hidden = genres.length < 2;
  }

  /** The fields of a request; empty if the defaults are chosen. */
  get asked() {
    const { default_genre: usual } = this.models.find(({ name }) => name === this.model.value);
    const asked = {};
    if (this.model.value !== this.models[0].name) asked.model = this.model.value;
    if (this.genre.value && this.genre.value !== usual) asked.genre = this.genre.value;
    return asked;
  }

  /** Applies the choices in a URL; ignores unknown ones. */
  set({ model, genre }) {
    this.model.value = this.models.some(({ name }) => name === model) ? model : this.models[0].name;
    this.genre.value = "";
    this.#listGenres();
    if ([...this.genre.options].some(({ value }) => value === genre)) this.genre.value = genre;
  }
}
