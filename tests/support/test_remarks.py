"""Remarks, which only --verbose shows."""

import argparse

from coref_tf.commands.main import add_verbose, parse
from coref_tf.support.remarks import FirstFew, remark, shown_remarks


def test_remarks_are_shown_only_on_request(capsys):
    remark("one")
    with shown_remarks(False):
        remark("two")
    with shown_remarks():
        remark("three")
    remark("four")
    assert capsys.readouterr().err == "three\n"


def test_the_first_messages_are_printed_and_the_rest_counted(capsys):
    for number in (3, 5):
        messages = FirstFew("{} more")
        for each in range(number):
            messages.print(f"message {each}")
        messages.close()
    first = "message 0\nmessage 1\nmessage 2\n"
    assert capsys.readouterr().err == f"{first}{first}2 more\n"


def test_every_command_accepts_verbose():
    parser = argparse.ArgumentParser()
    parser.add_subparsers().add_parser("curve").add_argument("word")
    add_verbose(parser)
    assert parse(parser, ["curve", "x", "--verbose"]).verbose
    assert parse(parser, ["--verbose", "curve", "x"]).verbose
    assert not parse(parser, ["curve", "x"]).verbose
