"""`make ontonotes` on an invented release, with words and as skeletons, and with every kind of error."""

import os
import re
import subprocess
import sys
from pathlib import Path

import fake_release
import pytest

from coref_tf.documents.formats import read_documents
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.embeddings import VectorSet
from coref_tf.support.hocon import read_hocon

ROOT = Path(__file__).resolve().parents[2]
SETS = ["train", "dev", "test"]


def run(output: Path, *arguments, expect: str | None = "3,1,1") -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "paper", "ontonotes", *map(str, arguments), "--output", str(output)]
    command += ["--expect", expect] if expect else []
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def refusal(output: Path, *arguments, expect: str | None = "3,1,1") -> str:
    result = run(output, *arguments, expect=expect)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    assert not output.exists() and not output.with_name(f"{output.name}.conf").exists()
    assert not list(output.parent.glob(".*.tmp"))
    return result.stderr


@pytest.fixture
def skeletons(tmp_path) -> list:
    conll2012 = fake_release.make_conll2012(tmp_path / "skeletons", "skel")
    return [conll2012, "--ontonotes", fake_release.make_ontonotes(tmp_path / "skeletons")]


@pytest.fixture
def prepared(skeletons, tmp_path) -> Path:
    result = run(tmp_path / "ontonotes", *skeletons)
    assert result.returncode == 0, result.stderr
    return tmp_path / "ontonotes"


def edit(folder: Path, pattern: str, old: str, new: str) -> Path:
    [path] = folder.rglob(pattern)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    return path


def test_skeletons_get_their_words_back(prepared):
    documents = list(read_documents(prepared / "train.english.v4_gold_conll"))
    assert [document.key for document in documents] == [
        "nw/wsj/00/wsj_0001_0",
        "nw/wsj/00/wsj_0001_1",
        "tc/ch/00/ch_0002_0",
    ]
    assert [" ".join(sentence) for document in documents for sentence in document.sentences] == [
        "The harbour council met 1911 .",
        "It wanted to close its light -LRB- Café -RRB- .",
        "Ana saw herself .",
        ", She called her sister .",
        "nullp",
        "Did she answer ?",
    ]
    assert documents[0].clusters == (((0, 2), (6, 6), (10, 10)), ((10, 14),))
    assert documents[2].clusters == (((1, 1), (3, 3)), ((3, 4), (8, 8)))
    assert set(documents[2].speakers[0]) == {"B"}


@pytest.mark.parametrize("test_version", ["v4", "v9"])
def test_files_with_words_give_the_same_output_as_skeletons(prepared, tmp_path, test_version):
    conll2012 = fake_release.make_conll2012(tmp_path / "words", "conll", test_version=test_version)
    result = run(tmp_path / "other", conll2012.parent)  # the parent folder works, too
    assert result.returncode == 0, result.stderr
    for path in prepared.iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()
    assert "train: 3 documents, 31 words, 10 mentions (2 files, 0 of them skeletons)" in result.stdout


def test_only_the_slashes_of_spoken_punctuation_are_changed(prepared):
    expected = fake_release.conll("tc/ch/00/ch_0002", fake_release.CALL, skeleton=False)
    assert (
        (prepared / "train.english.v4_gold_conll")
        .read_text()
        .endswith(expected.replace(" /.", "  .").replace(" /?", "  ?"))
    )


def test_a_file_with_words_is_preferred_to_its_skeleton(skeletons, tmp_path):
    fake_release.make_conll2012(tmp_path / "skeletons", "conll")
    edit(skeletons[0], "eng_0019.v4_gold_conll", "town", "city")
    result = run(tmp_path / "ontonotes", skeletons[0])
    assert result.returncode == 0, result.stderr
    assert "city" in (tmp_path / "ontonotes/test.english.v4_gold_conll").read_text()


def test_settings_contain_the_paths_of_the_files(prepared):
    settings = read_hocon(prepared.with_name("ontonotes.conf"))
    paths = {"train_path": "train", "eval_path": "dev", "conll_eval_path": "dev", "test_path": "test"}
    for key, name in paths.items():
        value = settings["data"][key]
        assert value == f"ontonotes/{name}.english.v4_gold_conll" and value.folder == prepared.parent
    assert settings["data"]["genres"] == ["bc", "bn", "mz", "nw", "pt", "tc", "wb"]
    assert settings["data"]["default_genre"] == "nw"
    characters = CharacterVocabulary.read(prepared.parent / settings["data"]["char_vocab_path"]).characters
    words = [
        word
        for name in SETS
        for d in read_documents(prepared / f"{name}.english.v4_gold_conll")
        for word in d.words
    ]
    assert characters == tuple(sorted(set("".join(words))))
    for vectors in (settings["large_vectors"], settings["small_vectors"]):
        assert VectorSet.open(vectors["path"], vectors["size"]).known(["harbour"]).all()


def test_vectors_are_filtered_to_the_sets(skeletons, tmp_path):
    glove, turian = tmp_path / "glove.txt", tmp_path / "turian.txt"
    glove.write_text("the 1 2 3\nThe 0 3 4\nharbour 1 0 0\n( 0 0 1\nzebra 1 1 1\n")
    turian.write_text("*UNKNOWN* 1 2\nAna 3 4\n")
    result = run(tmp_path / "ontonotes", *skeletons, "--glove", glove, "--turian", turian)
    assert result.returncode == 0, result.stderr
    assert "bundled" not in result.stdout
    settings = read_hocon(tmp_path / "ontonotes.conf")
    sets = [settings["large_vectors"], settings["small_vectors"]]
    opened = [VectorSet.open(tmp_path / vectors["path"], vectors["size"]) for vectors in sets]
    assert opened[0].known(["the", "The", "harbour", "(", "zebra"]).tolist() == [
        True,
        True,
        True,
        True,
        False,
    ]
    assert opened[1].known(["Ana", "*UNKNOWN*"]).tolist() == [True, False]
    assert opened[0].lookup(["The"]).tolist() == [[0, pytest.approx(0.6), pytest.approx(0.8)]]


def test_without_vectors_the_bundled_ones_are_used_and_named(skeletons, tmp_path):
    result = run(tmp_path / "ontonotes", *skeletons)
    assert "with the bundled vectors cased_300d.h5 and glove_6B_50d.h5" in result.stdout.splitlines()[-1]


def test_chinese_keeps_edited_words_that_english_drops(tmp_path):
    conll2012 = fake_release.make_conll2012(tmp_path, "skel", "chinese")
    ontonotes = fake_release.make_ontonotes(tmp_path, "chinese")
    result = run(tmp_path / "ontonotes", conll2012, "--ontonotes", ontonotes, "--language", "chinese")
    assert result.returncode == 0, result.stderr
    [document] = list(read_documents(tmp_path / "ontonotes/train.chinese.v4_gold_conll"))[2:]
    assert [len(sentence) for sentence in document.sentences] == [7, 2, 4]


def test_clusters_with_repeated_mentions_are_merged_with_a_warning(skeletons, tmp_path):
    path = edit(skeletons[0], "abc_0010.v4_gold_skel", "(0)", "(0)|(0)|(8)")
    edit(skeletons[0], "abc_0010.v4_gold_skel", " -\n", "(8)\n")
    result = run(tmp_path / "ontonotes", *skeletons)
    assert result.returncode == 0, result.stderr
    assert f"{path}:1: clusters that share a mention were merged" in result.stderr
    [document] = read_documents(tmp_path / "ontonotes/dev.english.v4_gold_conll")
    assert document.clusters == (((0, 1), (2, 2), (3, 3)),)
    assert "dev: 1 documents, 6 words, 3 mentions" in result.stdout


def test_an_unexpected_number_of_documents_is_refused(skeletons, tmp_path):
    message = refusal(tmp_path / "ontonotes", *skeletons, expect=None)
    assert "3 documents in 2 files of english train; expected 2,802" in message
    assert "expected 2" in refusal(tmp_path / "ontonotes", *skeletons, expect="3,1,2")
    assert "--expect must be three numbers" in refusal(tmp_path / "ontonotes", *skeletons, expect="3,1")


def test_missing_folders_are_named(skeletons, tmp_path):
    conll2012, _, ontonotes = skeletons
    output = tmp_path / "ontonotes"
    assert "no folder ''" in refusal(output, "")
    assert "ONTONOTES=DIR" in refusal(output, conll2012)
    assert "not the OntoNotes 5.0 release" in refusal(output, conll2012, "--ontonotes", tmp_path)
    assert "no *_gold_conll or *_gold_skel files of english train" in refusal(output, ontonotes)
    [parse] = ontonotes.rglob("eng_0019.parse")
    parse.unlink()
    assert f"{parse}: no such file; expected the trees of" in refusal(output, *skeletons)


@pytest.mark.parametrize(
    "pattern, old, new, message",
    [
        ("ch_0002.parse", "(VBD called)", "", r"gold_skel:2: .* of 6 words; expected 5, as in .*parse:1"),
        ("ch_0002.parse", "(EDITED", "(NP", "gold_skel:2: a sentence of 6 words; expected 7"),
        ("eng_0019.parse", "(DT The)", "(DT The", "parse:11: the tree in line 1 does not end"),
        ("eng_0019.parse", "(DT The)", "(DT The old)", "'old' after a leaf's word"),
        ("eng_0019.parse", "(TOP", "stray (TOP", "parse:1: 'stray' outside a tree"),
        ("eng_0019*gold_skel", "[WORD]", "town", r"gold_skel:2: 'town' as a word; expected \[WORD\]"),
        ("eng_0019*gold_skel", " 9)", " 8)", "gold_skel:3: '8\\)' closes nothing"),
        ("eng_0019*gold_skel", "#end document\n", "", "does not end; expected '#end document'"),
        ("eng_0019*gold_skel", "(wb/eng/00/eng_0019)", "(bn/abc/00/abc_0010)", "is also in .*abc_0010"),
    ],
)  # fmt: skip
def test_errors_name_file_and_line(skeletons, tmp_path, pattern, old, new, message):
    edit(tmp_path / "skeletons", pattern, old, new)
    assert re.search(message, refusal(tmp_path / "ontonotes", *skeletons))


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: "", "gold_conll:1: the file contains no document"),
        (
            lambda text: text.replace(" town", " [WORD]"),
            r"gold_conll:3: \[WORD\] instead of a word; expected words",
        ),
        (lambda text: re.sub(r"(?m)\(?9\)?$", "-", text), "no mentions here, nor in the rest of test"),
        (lambda text: re.sub(r"\*.*\*", "", text), "gold_conll:2: 6 columns; expected 12 or more"),
    ],
    ids=["empty", "placeholder", "no coreference", "columns"],
)
def test_files_with_words_are_checked(tmp_path, change, message):
    conll2012 = fake_release.make_conll2012(tmp_path, "conll")
    [path] = conll2012.rglob("eng_0019.v4_gold_conll")
    path.write_text(change(path.read_text()))
    assert re.search(message, refusal(tmp_path / "ontonotes", conll2012))


def test_a_failure_leaves_existing_files_unchanged(prepared, skeletons, tmp_path):
    before = {path: path.read_bytes() for path in [*prepared.iterdir(), tmp_path / "ontonotes.conf"]}
    edit(skeletons[0], "wsj_0001*gold_skel", "part 000", "part 007")
    edit(skeletons[0], "eng_0019*gold_skel", " 9)", " 8)")
    assert run(prepared, *skeletons).returncode == 1
    assert before == {path: path.read_bytes() for path in before}


@pytest.mark.parametrize(
    "variables, options",
    [
        ([], '""'),
        (["CONLL2012=a b"], '"a b"'),
        (
            ["CONLL2012=c", "ONTONOTES=o", "GLOVE=g", "TURIAN=t", "LANGUAGE=chinese", "EXPECT=1,2,3"],
            '"c" --ontonotes "o" --glove "g" --turian "t" --expect "1,2,3" --language "chinese"',
        ),
    ],
)
def test_make_passes_its_variables_to_the_command(variables, options):
    environment = os.environ | {"LANGUAGE": "en_GB:en"}
    command = ["make", "-n", "ontonotes", *variables]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    line = " ".join(result.stdout.replace("\\\n", " ").split())
    assert line.endswith(f"-m paper ontonotes {options}")
