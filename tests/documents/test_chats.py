"""Chats and transcripts: speakers, their words and the offsets in the file."""

import json
import re

import chat_samples
import pytest
from command import call

from coref_tf.documents import Document, read_documents
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.dialogue_forms import read_dialogue
from coref_tf.documents.formats import lint
from coref_tf.documents.listing import mention_text
from coref_tf.support.errors import CorefError, InputError


def spoken(text: str) -> list[tuple[str, str]]:
    dialogue = read_dialogue(text)
    turns = [(speaker, dialogue.words[begin:end].strip()) for speaker, begin, end in dialogue.turns]
    assert len(dialogue.words) == len(text)
    return [(speaker, re.sub(" +\n", "\n", words)) for speaker, words in turns if words]


def sentences(document: Document) -> list[tuple[str, str]]:
    assert [document.text[begin:end] for begin, end in document.offsets] == list(document.words)
    rows = zip(document.speakers, document.sentences, strict=True)
    assert all(len(set(speakers)) == 1 for speakers in document.speakers)
    return [(speakers[0], " ".join(words)) for speakers, words in rows]


@pytest.mark.parametrize(
    ("sample", "turns", "form"),
    [
        ("WHATSAPP_ANDROID", chat_samples.WHATSAPP_TURNS, "WhatsApp"),
        ("WHATSAPP_IOS", chat_samples.WHATSAPP_TURNS, "WhatsApp"),
        ("IRSSI", chat_samples.IRC_TURNS, "IRC"),
        ("WEECHAT", chat_samples.IRC_TURNS, "IRC"),
        ("ZNC", chat_samples.IRC_TURNS, "IRC"),
        ("HEXCHAT", chat_samples.IRC_TURNS, "IRC"),
        ("OTTER", [("-", "Weekly meeting\nMon, May 1"), *chat_samples.MEETING_TURNS], "transcript"),
        ("ZOOM", chat_samples.MEETING_TURNS, "transcript"),
        ("TEAMS", chat_samples.MEETING_TURNS, "transcript"),
        ("TIME_FIRST", chat_samples.MEETING_TURNS, "transcript"),
        ("TIME_IN_BRACKETS", chat_samples.MEETING_TURNS, "transcript"),
        ("ZOOM_CHAT", chat_samples.ZOOM_CHAT_TURNS, "transcript"),
    ],
)
def test_chat_formats_are_recognised_with_their_speakers(sample, turns, form):
    text = getattr(chat_samples, sample)
    assert spoken(text) == turns
    assert spoken(text.replace("\n", "\r\n")) == [(who, words.replace("\n", "\r\n")) for who, words in turns]
    assert form in read_dialogue(text).form


def test_whatsapp_date_formats():
    for day in (
        "12.05.23, 21:04",
        "2023-05-12, 21:04",
        "5/12/23, 9:04 PM",
        "12/05/2023 21:04",
        "12/5/23, 9:04 p. m.",
    ):
        text = f"{day} - Ana: I left.\n{day} - Ben joined using this group's invite link\n{day} - Ben: You?\n"
        assert spoken(text) == [("Ana", "I left."), ("Ben", "You?")], day
        assert read_dialogue(text).form == "WhatsApp export"


def test_plain_speaker_lines_have_no_named_format():
    text = "[00:01:02] Ana: Hi.\n[00:01:04] Ben Lee: You?\nNo.\n"
    assert spoken(text) == [("Ana", "Hi."), ("Ben Lee", "You?\nNo.")]
    count = DialogueCount()
    count(read_dialogue(text))
    assert str(count) == "2 turns of 2 speakers"
    count(read_dialogue(chat_samples.WHATSAPP_ANDROID))
    assert str(count) == "6 turns of 5 speakers (WhatsApp export)"
    count(read_dialogue(chat_samples.ZNC))
    assert str(count) == "11 turns of 8 speakers (IRC log, WhatsApp export)"


def test_prose_is_not_a_transcript():
    for text in (
        "Lunch at 12:30\nWe met Ana at 10:30\nand left.\n",
        "[1] A note.\nMonday 10:30\nWe left.\n",
        "<p> one\n<p> two </p>\n",
        "- one\n* two\n*** three\n",
    ):
        assert spoken(text) == [("-", text.strip())]


def test_a_chat_in_a_text_file(tmp_path):
    path = tmp_path / "WhatsApp Chat with Ana.txt"
    path.write_text("\ufeff" + chat_samples.WHATSAPP_ANDROID, encoding="utf-8")
    (plain,) = read_documents(path)
    assert {speaker for row in plain.speakers for speaker in row} == {"-"}
    (document,) = read_documents(path, dialogue=True)
    assert document.text == chat_samples.WHATSAPP_ANDROID
    assert sentences(document)[:3] == [
        ("Ana", "Has anyone seen my keys ?"),
        ("Ana", "They were on the table :"),
        ("Ana", "- the small ones"),
    ]


def test_logs_need_no_option(tmp_path):
    (tmp_path / "boat.log").write_text(chat_samples.IRSSI)
    (tmp_path / "boat.weechatlog").write_text(chat_samples.WEECHAT)
    for name in ("boat.log", "boat.weechatlog"):
        (document,) = read_documents(tmp_path / name)
        assert sentences(document) == [
            ("ana", "has anyone seen my keys ?"),
            ("ben|away", "zoe has them"),
            ("ana", "ana waves at zoe"),
            ("zoe", "I do , ana : here they are"),
            ("ana", "thank you"),
        ]
    (tmp_path / "server.log").write_text("started\nlistening on port 80\n")
    with pytest.raises(InputError, match=r"server.log:1: no IRC messages found"):
        list(read_documents(tmp_path / "server.log"))


def test_subtitles(tmp_path):
    for name, content in [("x.vtt", chat_samples.WEBVTT), ("x.srt", chat_samples.SRT)]:
        for text in (content, content.replace("\n", "\r\n"), "\ufeff" + content):
            path = tmp_path / name
            path.write_bytes(text.encode())
            assert not lint(path)
            (document,) = read_documents(path)
            found = sentences(document)
            assert [words for _, words in found] == [words for _, words in chat_samples.CUE_SENTENCES]
            names = [who for who, _ in chat_samples.CUE_SENTENCES]
            if name == "x.srt":
                names = ["ANA", "BEN", "ZOE", *names[3:]]
            assert [who for who, _ in found] == names


def test_repeated_lines_of_automatic_captions_are_read_once(tmp_path):
    (tmp_path / "x.vtt").write_text(chat_samples.AUTOMATIC)
    (document,) = read_documents(tmp_path / "x.vtt")
    assert sentences(document) == [("-", "has anyone seen my keys")]


def test_a_blank_line_in_a_cue(tmp_path):
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\nANA: I left\n\nat ten.\n\n2\n00:00:03,000 --> 00:00:04,000\nWhy?\n"
    )
    (tmp_path / "x.srt").write_text(text)
    (document,) = read_documents(tmp_path / "x.srt")
    assert sentences(document) == [("ANA", "I left at ten ."), ("ANA", "Why ?")]


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("x.vtt", "00:01.000 --> 00:02.000\nHi.\n", 1, "expected WEBVTT in the first line"),
        ("x.vtt", "WEBVTT\n\n", 1, "no cue"),
        ("x.vtt", "WEBVTT\n\nHi.\n\n00:01.000 --> 00:02.000\nHi.\n", 3, "'Hi.' is before the first cue"),
        ("x.srt", "", 1, "no cue"),
        ("x.srt", "1\n00:00:01,000 -> 00:00:02,000\nHi.\n", 1, "'1' is before the first cue"),
        (
            "x.srt",
            "1\n00:00:01,000 --> 00:00:02,000\nHi.\n\n2\n00:00:03 --> x\nHo.\n",
            6,
            "a damaged timing line",
        ),
        ("x.srt", "1\n00:00:01,000 --> 00:00:02,000\n\n", 1, "the document is empty"),
        ("x.srt", b"1\n00:00:01,000 --> 00:00:02,000\nTw\xe9.\n", 3, "byte 3, b'\\xe9', is not UTF-8"),
        ("x.log", "", 1, "no IRC messages found"),
        ("x.json", "{", 1, "bad JSON"),
        ("x.json", '{"a": 1}', 1, "expected a list of messages"),
        ("x.json", "[]", 1, "no message"),
        ("x.json", '[{"text": "Hi.", "user": "U1"},\n\n{"text": 5, "user": "U1"}]', 3, "text is 5"),
        ("x.json", '[{"text": "Hi.", "user": "U1"},\n{"text": "Ho.", "user": 7}]', 2, "user is 7"),
        ("x.json", '[\n{"text": "a\\u0000b", "user": "U1"}]', 2, "a NUL character"),
        ("x.json", '[\n{"text": "Hi.", "user": "U1", "ts": 5}]', 2, "ts is 5"),
    ],
)
def test_errors_have_line_numbers(tmp_path, name, content, line, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        list(read_documents(path))
    assert str(caught.value).startswith(f"{path}:{line}: ") and message in str(caught.value)
    assert str(caught.value) in [str(problem) for problem in lint(path)]


def test_slack(tmp_path):
    folder = tmp_path / "export" / "general"
    folder.mkdir(parents=True)
    (tmp_path / "export" / "users.json").write_text(json.dumps(chat_samples.SLACK_USERS))
    for indent in (None, 4):
        path = folder / "2023-05-01.json"
        path.write_text(chat_samples.slack_json(indent))
        (document,) = read_documents(path)
        sentences(document)
        messages = document.extra["messages"]
        speakers = [speaker for row in document.speakers for speaker in row]
        turns = []
        for _, begin, end in messages:
            own = [
                who
                for who, (first, _) in zip(speakers, document.offsets, strict=True)
                if begin <= first < end
            ]
            turns.append((own[0], document.text[begin:end]))
        assert turns == chat_samples.SLACK_TURNS
        assert document.key == "2023-05-01" and messages[0][0] == "1683000001.000100"
        assert document.text.startswith("Ana: Has Ben Lee seen")


def test_slack_with_missing_or_damaged_users(tmp_path):
    path = tmp_path / "day.json"
    path.write_text(chat_samples.slack_json())
    (document,) = read_documents(path)
    assert document.speakers[0][0] == "U01"
    (tmp_path / "users.json").write_text('[{"id": "U01", "name": "ana"}, {"name": "nobody"}]')
    with pytest.raises(InputError, match=r"users.json:1: .*id"):
        list(read_documents(path))
    (tmp_path / "users.json").write_text('[{"id": "U01", "name": "ana"}]')
    (document,) = read_documents(path)
    assert document.speakers[0][0] == "ana"


def test_a_folder_leaves_out_files_with_ambiguous_endings(tmp_path):
    from coref_tf.documents.inputs import find_inputs

    for name in ("a.srt", "b.vtt", "c.json", "d.log", "e.txt"):
        (tmp_path / name).write_text("x")
    assert [path.rsplit("/", 1)[-1] for path in find_inputs([str(tmp_path)])] == ["a.srt", "b.vtt", "e.txt"]
    assert find_inputs([str(tmp_path / "*.json")]) == [str(tmp_path / "c.json")]
    for name in ("a.srt", "b.vtt", "e.txt"):
        (tmp_path / name).unlink()
    with pytest.raises(
        CorefError, match=r"files such as .*/c.json are ignored if you pass their folder; pass the files"
    ):
        find_inputs([str(tmp_path)])


def test_convert_reports_the_recognised_format(tmp_path, capsys):
    (tmp_path / "x.srt").write_text(chat_samples.SRT)
    assert call("documents", "convert", tmp_path / "x.srt", tmp_path / "x.jsonlines") == 0
    assert capsys.readouterr().err == "dialogue: 5 turns of 3 speakers (SubRip)\n"
    assert json.loads((tmp_path / "x.jsonlines").read_text())["speakers"][0][0] == "ANA"
    (tmp_path / "x.txt").write_text(chat_samples.OTTER)
    assert call("documents", "convert", tmp_path / "x.txt", tmp_path / "y.jsonlines", "--dialogue") == 0
    assert capsys.readouterr().err == "dialogue: 3 turns of 3 speakers (transcript with times)\n"


def test_mention_text_across_two_cues_omits_the_timing(tmp_path):
    (tmp_path / "x.srt").write_text(chat_samples.SRT)
    (document,) = read_documents(tmp_path / "x.srt")
    words = list(document.words)
    start, end = words.index("my"), words.index("table")
    assert mention_text(document, start, end) == "my keys, which were on the table"
