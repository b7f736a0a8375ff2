"""Resolves texts with the bundled model: clusters with probabilities, resolved text, several documents at once."""

import textwrap

import coref_tf
from coref_tf.api.result import Result

STORY = (
    "Elena Ruiz bought an old ferry in Vigo and named it Paloma. Her partner, Jonas, repaired the engine, "
    "which took him two winters. When the mayor saw the boat, she offered Elena a berth in the harbour. "
    "Elena accepted it at once."
)
LETTERS = {
    "complaint": "I bought a kettle from your shop in May. It leaks, and the lid does not close. Please take it back.",
    "thank-you note": "Dear Mr Osei, thank you for the books. The children love them, and they drew you a picture.",
    "notice": "The library is closed on Friday. Its staff are moving the archive, and they need the room for it.",
}


def show_clusters(result: Result) -> None:
    """Prints one line per mention: its cluster, its probability, its characters in the text, and the mention."""
    for number, cluster in enumerate(result, start=1):
        for mention in cluster:
            place = f"{mention.begin_char}-{mention.end_char}"
            print(f"{number:3}  {mention.probability:.2f}  {place:>8}  {mention.text}")


def main() -> None:
    """Resolves a story in detail, and three letters in one go."""
    resolver = coref_tf.load()  # the bundled model `english`; loading it takes a few seconds
    result = resolver(STORY)

    print("Clusters of the story:")
    show_clusters(result)

    # By default, only mentions are replaced whose links are very probable.
    print("\nResolved text:")
    print(textwrap.fill(result.resolved(), 100))
    print("\nResolved text, whatever the probabilities:")
    print(textwrap.fill(result.resolved(min_probability=0), 100))

    # pipe() takes any iterable, reads it lazily, and returns the results in the same order.
    for name, letter in zip(LETTERS, resolver.pipe(LETTERS.values()), strict=True):
        print(f"\nClusters of the {name}:")
        for cluster in letter:
            print("  ", " · ".join(mention.text for mention in cluster))


if __name__ == "__main__":
    main()
