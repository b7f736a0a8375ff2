"""The behaviour suite: reading of cases, matching of mentions, outcomes and counts."""

import pytest
from answers import FACTS, Answer, span

from coref_tf.evaluation.suites.behaviour import BehaviourSuite
from coref_tf.evaluation.suites.behaviour_case import read_behaviour
from coref_tf.evaluation.suites.behaviour_check import check_case
from coref_tf.evaluation.suites.registry import open_suite, usage
from coref_tf.scoring.intervals import wilson_interval
from coref_tf.support.errors import CorefError

CASES = """Two people.

== MFT
[1|Tom] met [2|Mary]. [2|She] likes [1|him].

== MFT
[0|It] rained. [1|Marie Curie (1867 – 1934)] was [1?|a physicist]. [1|She] lived in Paris.
"""
PAIRS = """Cases that belong together.

== INV call
[1|Ana] called [2|Ben]. [1|She] was ill.

== INV call
[1|Efua] called [2|Kofi]. [1|She] was ill.

== DIR turn
[1|Ana] called [2|Ben]. [1|She] was ill.

== DIR turn
[1|Ana] called [2|Ben]. [2|He] was ill.
"""


def write(folder, text, name="people.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def check(case, *clusters):
    """Returns the outcome for clusters that are given as words; `word/1` is the second occurrence of a word."""
    spans = [[_find(case.document, words) for words in cluster] for cluster in clusters]
    return check_case(case, spans)


def _find(document, words):
    words, _, nth = words.partition("/")
    return span(document, words, int(nth or 0))


def test_passed_missed_and_wrong_links(tmp_path):
    case, _ = read_behaviour(write(tmp_path, CASES))
    assert case.id == "people:3" and case.document.text == "Tom met Mary. She likes him."
    tom, mary, she, him = (mention.span for mention in case.mentions)

    right = check(case, ["Tom", "him"], ["Mary", "She"])
    assert right.passed and not right.missed and not right.wrong
    missed = check(case, ["Tom", "him"])
    assert not missed.passed and missed.missed == [mary, she] and not missed.wrong
    wrong = check(case, ["Tom", "him", "She"])
    assert wrong.wrong == [[tom, him, she]] and wrong.missed == [mary, she]
    # One cluster of all mentions has every expected link, and wrong ones.
    together = check(case, ["Tom", "Mary", "She", "him"])
    assert not together.missed and len(together.wrong) == 1
    # A link to an unmarked mention is wrong.
    assert check(case, ["Mary", "She"], ["him", "likes"]).wrong == [[him, span(case.document, "likes")]]
    # Clusters without marked mentions are ignored, and so are singletons.
    assert check(case, ["Tom", "him"], ["Mary", "She"], ["met", "likes"]).passed
    assert check(case, ["Tom"], ["him"]).missed == [tom, mary, she, him]


def test_nonreferential_and_optional_mentions(tmp_path):
    _, case = read_behaviour(write(tmp_path, CASES))
    name = "Marie Curie ( 1867 – 1934 )"
    assert check(case, [name, "She"]).passed
    assert check(case, [name, "a physicist", "She"]).passed
    assert check(case, [name, "a physicist"]).missed == [
        span(case.document, name),
        span(case.document, "She"),
    ]
    assert check(case, [name, "She"], ["It", "Paris"]).wrong == [
        [span(case.document, "It"), span(case.document, "Paris")]
    ]
    assert check(case, [name, "She", "It"]).wrong


def test_mentions_with_the_same_head_match(tmp_path):
    text = """Heads.
== MFT
[1|Marie Curie (1867 – 1934)] met [2|[3|Tom]'s sister, a nurse,] with [4|[5|Ana] and [6|Ben]].
[1|She] thanked [2|her], [3|him] and [4|them] before [5|Ana] and [6|Ben] left.
"""
    (case,) = read_behaviour(write(tmp_path, text))
    rest = ["Tom", "him"], ["Ana and Ben", "them"], ["Ana", "Ana/1"], ["Ben", "Ben/1"]
    sister = ["Tom 's sister , a nurse ,", "her"]
    assert check(case, ["Marie Curie ( 1867 – 1934 )", "She"], sister, *rest).passed
    for name in ("Marie Curie", "Curie", "Marie Curie ( 1867 – 1934"):
        assert check(case, [name, "She"], sister, *rest).passed
    assert check(case, ["Marie Curie", "She"], ["Tom 's sister", "her"], *rest).passed
    # A part with a different head is a different mention, of another entity or of none.
    assert check(case, ["Marie", "She"], sister, *rest).wrong
    assert check(case, ["Marie Curie", "She"], ["Tom", "her"], *rest).wrong
    others = ["Marie Curie", "She"], sister, ["Tom", "him"], ["Ana", "Ana/1"], ["Ben", "Ben/1"]
    assert check(case, *others, ["Ana", "them"]).wrong and check(case, *others, ["Ben", "them"]).wrong


def test_hyphens_are_part_of_names_and_dashes_are_not(tmp_path):
    text = "Signs.\n== MFT\n[1|Min-jun's] boss saw [2|the mayor] – [2|he] is old – and [1|Min-jun].\n"
    (case,) = read_behaviour(write(tmp_path, text))
    assert check(case, ["Min - jun 's", "Min - jun/1"], ["the mayor – he is old", "he"]).passed
    assert check(case, ["Min - jun 's boss", "Min - jun/1"], ["the mayor", "he"]).wrong


def test_symbols_at_the_ends_of_a_mention_are_ignored(tmp_path):
    text = "Signs.\n== MFT\n**[1|Ana]** 👉 [1|she] left. [2|Bo's] dog, *[3|Rex]*, barked at [2|him].\n"
    (case,) = read_behaviour(write(tmp_path, text))
    assert case.document.words[:6] == ("*", "*", "Ana", "*", "*", "👉")
    assert check(case, ["* * Ana * * 👉", "she"], ["Bo", "him"]).passed
    assert check(case, ["Ana *", "she"], ["Bo 's", "him"]).passed
    assert check(case, ["👉", "she"], ["Bo", "him"]).wrong
    assert check(case, ["Ana", "she"], ["Bo 's dog", "him"]).wrong


def test_speakers_are_given(tmp_path):
    text = "Talk.\n== MFT\n@Ana: [1|I] am late.\n@Ben Oak: So am [2|I], [1|Ana].\n"
    (case,) = read_behaviour(write(tmp_path, text))
    assert case.document.text == "Ana: I am late.\nBen Oak: So am I, Ana."
    assert [row[0] for row in case.document.speakers] == ["Ana", "Ben Oak"]
    assert check(case, ["I", "Ana"]).passed and check(case, ["I", "I/1"]).wrong


def test_kinds_types_and_groups_are_counted(tmp_path):
    write(tmp_path, CASES)
    write(tmp_path, PAIRS, "pairs.txt")
    suite = BehaviourSuite(str(tmp_path))
    clusters = [
        [["Ana", "She"]],  # passes, but the case with other names fails: not invariant
        [],
        [["Ana", "She"]],  # passes, but the link does not change with the pronoun in the next case
        [["Ana", "He"]],
        [["Tom", "him"], ["Mary", "She"]],
        [["Marie Curie", "She"], ["It", "Paris"]],
    ]
    assert [case.id for case in suite.cases][3:5] == ["pairs:12", "people:3"]
    answers = [
        Answer(document, [[_find(document, words) for words in cluster] for cluster in found])
        for document, found in zip(suite.documents, clusters, strict=True)
    ]
    result = suite.score(answers, FACTS)
    figures = result.figures
    assert [figures["all"][name] for name in ("cases",)] == [6]
    assert [figures["all"][name]["count"] for name in ("pass", "miss", "wrong")] == [3, 2, 2]
    assert figures["kinds"]["people"]["pass"]["share"] == 0.5
    assert figures["kinds"]["people"]["pass"]["interval"] == wilson_interval(1, 2)._asdict()
    assert [figures["types"]["INV"][name] for name in ("cases", "groups", "groups_right")] == [2, 1, 0]
    assert [figures["types"]["DIR"][name] for name in ("cases", "groups", "groups_right")] == [2, 1, 0]
    assert "groups" not in figures["types"]["MFT"]
    failures = figures["failures"]
    assert [failure["case"] for failure in failures] == ["pairs:6", "pairs:12", "people:6"]
    assert failures[1]["wrong"] == [["Ana", "He"]] and failures[1]["missed"] == ["Ben", "He"]
    assert failures[1]["expected"] == {"1": ["Ana"], "2": ["Ben", "He"]} and failures[1]["found"] == [
        ["Ana", "He"]
    ]
    rows = result.tables[0].as_text().splitlines()
    assert rows[-1].split()[:3] == ["all", "6", "50.0"]
    ((table,), (title,)) = result.page_tables, {table.title for table in result.page_tables}
    assert title == "Cases that failed" and len(table.rows) == 3
    # Without any clusters, INV cases are alike, and DIR cases are not right.
    empty = suite.score([Answer(document, []) for document in suite.documents], FACTS)
    assert [empty.figures["types"][name]["groups_right"] for name in ("INV", "DIR")] == [1, 0]


def test_an_argument_is_required_unless_there_is_a_default(tmp_path):
    assert "behaviour[=dev|test|FILE|FOLDER]" in usage()
    path = write(tmp_path, CASES)
    assert len(open_suite(f"behaviour={path}").documents) == 2
    with pytest.raises(CorefError, match="names no files"):
        open_suite("behaviour=")
    with pytest.raises(CorefError, match="names no files"):
        open_suite("gap")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Kind.\n[1|Tom] left.\n", r":1: has no cases"),
        ("== MFT\n[1|Tom] said [1|he] left.\n", r":1: has no description"),
        (
            "Kind.\n== XYZ\n[1|Tom] said [1|he] left.\n",
            r":2: invalid header '== XYZ'; expected '== ' and one of MFT",
        ),
        ("Kind.\n== INV\n[1|Tom] said [1|he] left.\n", r":2: invalid header '== INV'; expected a group name"),
        ("Kind.\n== MFT a\n[1|Tom] said [1|he] left.\n", r":2: .*none after MFT"),
        ("Kind.\n== MFT\n\n== MFT\n[1|Tom] said [1|he] left.\n", r":2: the case is empty"),
        ("Kind.\n== MFT\nHi.\n[1|Tom said [1|he] left.\n", r":4: '\[1\|' is never closed"),
        ("Kind.\n== MFT\nHi.\nTom] left.\n", r":4: '\]' closes nothing"),
        ("Kind.\n== MFT\n[1!|Tom] left.\n", r":3: a bare '\['"),
        ("Kind.\n== MFT\n[1|T]om said [1|he] left.\n", r":3: mention 'T' of '1' splits a word"),
        ("Kind.\n== MFT\n[1|Tom. He] said [1|he] left.\n", r":3: .*runs across a sentence end"),
        ("Kind.\n== MFT\n[1|Tom] left.\n", r":2: a model cannot fail this case"),
        ("Kind.\n== MFT\n@Tom hello\n", r":3: the line begins with '@'"),
        (
            "Kind.\n== MFT\n@tom: [1|I] think [1|I] will.\n",
            r":2: the speakers were read as \[\]; expected \['tom'\]",
        ),
        ("Kind.\n== INV a\n[1|Tom] said [1|he] left.\n", r":2: the group a has one case"),
        (
            "Kind.\n== INV a\n[1|Tom] said [1|he] left.\n== INV a\n[1|Tom] said [2|he] left.\n",
            r":4: the group a has different mentions in line 2",
        ),
        (
            "Kind.\n== INV a\n[1|Tom] said [1|he] left.\n== DIR a\n[1|Tom] said [1|he] left.\n",
            r":4: the group a is already INV in line 2",
        ),
    ],
)
def test_errors_name_the_mistake(tmp_path, text, message):
    with pytest.raises(CorefError, match=message):
        read_behaviour(write(tmp_path, text))


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(CorefError, match=r"has no \.txt files"):
        read_behaviour(tmp_path)


def test_wilson_intervals():
    # Computed by hand with z = 1.96: (0.9 + 0.19208 ± 1.96 * sqrt(0.009 + 0.009604)) / 1.38416.
    assert wilson_interval(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson_interval(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)
    with pytest.raises(ValueError, match="Received: 0 of 0"):
        wilson_interval(0, 0)
