"""Untrusted JSON is parsed in linear time, and invalid JSON is a one-line error."""

import json

import pytest

from coref_tf.support.json_text import MOST_LEVELS, parse_json, repeated


def test_values_equal_those_of_json_loads():
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
def test_error_messages(text, message):
    with pytest.raises(ValueError) as error:
        parse_json(text)
    assert str(error.value) == message


@pytest.mark.parametrize("levels", [101, 985, 995, 1_000, 100_000])
@pytest.mark.parametrize("begin, end", [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_a_one_line_error(levels, begin, end):
    with pytest.raises(ValueError, match=f"^more than {MOST_LEVELS} levels of lists and objects$"):
        parse_json(begin * levels + "1" + end * levels)
    assert parse_json(begin * MOST_LEVELS + "1" + end * MOST_LEVELS)


def test_repeated_keys_are_found_in_one_pass():
    """The search for a repeated key reads each key once."""
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
    """A repeated key among 100,000 is found; a quadratic search would take minutes."""
    keys = ", ".join(f'"{number}": 0' for number in range(100_000))
    with pytest.raises(ValueError, match="the key '99999' occurs twice in one object"):
        parse_json("{" + keys + ', "99999": 0}')
