"""JSON from outside: linear, and refused in one line where it is odd."""

import json

import pytest

from coref_tf.support.json_text import MOST_LEVELS, parse_json, repeated


def test_values_come_as_they_are():
    text = '{"a": [1, 2.5, null, true, "Zoë \\u00eb \\ud83d\\ude00"], "b": {"a": {}}}'
    assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value at character 1"),
        ('{"a": 1} 2', "Extra data at character 10"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "the key 'b' occurs twice in one object"),
        ('"\\ud83d"', "a lone surrogate among the \\u escapes"),
        ("9" * 5000, "a number with more than 4,300 digits"),
    ],
)
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(ValueError) as error:
        parse_json(text)
    assert str(error.value) == message


@pytest.mark.parametrize("levels", [101, 985, 995, 1_000, 100_000])
@pytest.mark.parametrize("begin, end", [("[", "]"), ('{"a":', "}")])
def test_any_depth_is_one_line(levels, begin, end):
    with pytest.raises(ValueError, match=f"^more than {MOST_LEVELS} levels of lists and objects$"):
        parse_json(begin * levels + "1" + end * levels)
    assert parse_json(begin * MOST_LEVELS + "1" + end * MOST_LEVELS)


def test_a_key_is_looked_for_once_however_many_there_are():
    """Each name is read a single time: the search for the one that repeats never starts again."""
    read = []

    def names():
        for number in range(10_000):
            read.append(number)
            yield str(number)
        yield "0"

    assert repeated(names()) == "0"
    assert len(read) == 10_000
    assert repeated("abc") is None


def test_very_many_keys():
    """Took minutes when the search was quadratic."""
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))
    with pytest.raises(ValueError, match="the key '99999' occurs twice in one object"):
        parse_json("{" + keys + ', "99999": 0}')
