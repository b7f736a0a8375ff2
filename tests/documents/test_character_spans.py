"""Mentions as character offsets: the fast lookups agree with slow, obvious ones."""

import random

from coref_tf.documents.character_spans import Runs, link_groups
from coref_tf.documents.label_studio import BrowserText

CHARACTERS = ["a", "b", " ", "\n", "\u2028", "🙂"]


def random_text(source):
    return "".join(source.choices(CHARACTERS, k=source.randrange(12)))


def test_spans_are_trimmed_and_read():
    source = random.Random(1)
    for _ in range(2000):
        text = random_text(source)
        runs = Runs(text)
        begin, end = sorted(source.choices(range(len(text) + 1), k=2))
        first, last = runs.trim(begin, end)
        assert text[first:last] == text[begin:end].strip()
        parts = [(begin, end), (end, len(text))]
        read = " ".join(text[a:b] for a, b in parts)
        for quoted in (" ".join(read.split()), read, random_text(source)):
            assert runs.read_as(parts, quoted) == (quoted.split() == read.split())


def test_characters_are_counted_as_in_utf_16():
    source = random.Random(2)
    for _ in range(2000):
        text = random_text(source)
        units = text.encode("utf-16-le")
        begin, end = sorted(source.choices(range(len(units) // 2 + 1), k=2))
        browser = BrowserText(text)
        try:
            before, inside = (units[2 * a : 2 * b].decode("utf-16-le") for a, b in ((0, begin), (begin, end)))
        except UnicodeDecodeError:
            assert browser.index(begin) is None or browser.index(end) is None
            continue
        expected = len(before), len(before) + len(inside)
        assert (browser.index(begin), browser.index(end)) == expected
        found = browser.find(begin, end, inside)
        assert found and text[slice(*found)] == inside


def test_links_join_names_in_any_order():
    source = random.Random(3)
    for _ in range(500):
        names = [str(number) for number in range(source.randrange(1, 8))]
        links = [source.choices(names, k=source.randint(1, 3)) for _ in range(source.randrange(6))]
        groups = [{name} for name in names]
        for link in links:
            joined = [group for group in groups if group & set(link)]
            groups = [group for group in groups if group not in joined] + [set().union(*joined)]
        expected = sorted(sorted(group, key=names.index) for group in groups)
        assert link_groups(names, links) == sorted(expected, key=lambda group: names.index(group[0]))
