// The example texts.

const EXAMPLES = [
  {
    name: "A bakery",
    text:
      "Marta Oduya runs the bakery on Canal Street. She opened it in 2011 with her brother, Tomas. He told her that " +
      "its oven was old.",
  },
  {
    name: "News",
    text:
      "The harbour council met on Monday to vote on a new ferry. Its chairman, Peter Lund, said the boat would cost " +
      "eleven million euros. “We can't afford it,” he told reporters. Lund left early.",
  },
  {
    name: "A conversation",
    dialogue: true,
    text:
      "Ana: I saw your sister at the station.\nBen: Really? She told me she was in Lisbon.\n" +
      "Ana: She said she would call you.\nBen: Then I'll wait for her. Did you give her my number?",
  },
  {
    name: "Who is she?",
    text: "The surgeon told her assistant that he could go home early. He thanked her and left.",
  },
];
