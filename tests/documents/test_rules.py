"""Problems with mentions are all found, and reported in a limited number of lines."""

import random

import pytest
from oracles import crosses

from coref_tf.documents import read_documents
from coref_tf.documents.formats import lint
from coref_tf.documents.rules import MOST_SHOWN, FileMention, compatible_mentions, mention_problems


@pytest.mark.parametrize("seed", range(200))
def test_crossing_mentions_equal_those_of_a_pairwise_search(seed):
    source = random.Random(seed)
    mentions = []
    for number in range(source.randrange(30)):
        start, end = sorted(source.choices(range(20), k=2))
        mentions.append(FileMention(start, end, source.randrange(4), number))
    fatal, crossing = set(), set()
    for mention in mentions:
        for other in mentions:
            if crosses(mention[:2], other[:2]) and other.start < mention.start:
                crossing.add(mention)
                if mention.cluster == other.cluster:
                    fatal.add(mention)
    found = [p for p in mention_problems(mentions, [["w"] * 20]) if "crosses" in p.message]
    assert len(found) == len({problem.mention for problem in found})  # each is reported once
    assert {problem.mention for problem in found} == crossing
    assert {problem.mention for problem in found if problem.fatal} == fatal


def conll(path, labels):
    rows = "".join(f"nw/x 0 {number} w {label}\n" for number, label in enumerate(labels))
    path.write_text(f"#begin document (nw/x); part 000\n{rows}\n#end document\n")
    return path


def test_thousands_of_crossing_mentions_are_counted_and_shown_in_part(tmp_path):
    """The file has 3,000 mentions, each of which crosses all others: 4.5 million pairs."""
    labels = [f"({number}" for number in range(3000)] + [f"{number})" for number in range(3000)]
    path = conll(tmp_path / "x.conll", labels)
    problems = [str(problem) for problem in lint(path)]
    assert len(problems) == MOST_SHOWN + 1
    assert sum("crosses" in problem for problem in problems) == MOST_SHOWN
    more = "2,899 more mentions up to here cross others or are in two clusters"
    assert problems[-1] == f"{path}:3001: {more}"
    (document,) = read_documents(path)
    assert len(document.clusters) == 3000


def test_mentions_that_cross_in_their_own_cluster_are_counted_too(tmp_path):
    record = '{"doc_key": "x", "sentences": [["%s"]], "clusters": [[%s]]}\n'
    spans = ", ".join(f"[{number}, {number + 150}]" for number in range(150))
    path = tmp_path / "x.jsonlines"
    path.write_text(record % ('", "'.join("w" * 300), spans) * 2)
    problems = [str(problem) for problem in lint(path)]
    assert len(problems) == MOST_SHOWN + 1 and "198 more mentions" in problems[-1]


def test_brackets_on_one_word(tmp_path):
    """The word has 20,000 brackets, which are mentions of as many clusters."""
    path = conll(tmp_path / "x.conll", ["|".join(f"({number})" for number in range(20_000))])
    problems = lint(path)
    assert len(problems) == MOST_SHOWN + 1 and "19,899 more mentions" in str(problems[-1])
    (document,) = read_documents(path)
    assert len(document.clusters) == 20_000


def test_compatible_mentions_equal_those_of_a_pairwise_comparison():
    source = random.Random(4)

    def collide(one, other):
        crosses = (
            one.start < other.start <= one.end < other.end or other.start < one.start <= other.end < one.end
        )
        return one.cluster == other.cluster and (crosses or one[:3] == other[:3])

    def some(count):
        spans = [sorted(source.choices(range(9), k=2)) for _ in range(count)]
        return [FileMention(start, end, source.choice("ab"), line) for line, (start, end) in enumerate(spans)]

    for _ in range(400):
        firm, loose, expected = some(source.randrange(4)), some(source.randrange(8)), []
        distinct = list({mention[:3]: mention for mention in reversed(loose)}.values())
        for mention in sorted(distinct, key=lambda mention: (mention.start, -mention.end)):
            if not any(collide(mention, other) for other in [*firm, *expected]):
                expected.append(mention)
        assert sorted(compatible_mentions(firm, loose)) == sorted(expected)
