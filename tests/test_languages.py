"""Languages other than English: an experiment with German texts and vectors."""

import re

import pytest
from command import call
from random_documents import REFERENCE

from coref_tf.config import load_experiment
from coref_tf.documents import read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError

ANNOTATED = """\
[frau|Die Bäckerin] öffnet [laden|ihren Laden] um sechs Uhr.
[frau|Sie] hat [laden|ihn] vor 3 J. geerbt, z.B. von [oma|[frau|ihrer] Großmutter].
[oma|Die Großmutter] wohnt über [laden|dem Laden].
"""


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """An experiment on a German document, with arbitrary vectors for its words."""
    folder = tmp_path_factory.mktemp("german")
    (folder / "annotated" / "nw").mkdir(parents=True)
    (folder / "annotated" / "nw" / "laden.txt").write_text(ANNOTATED, encoding="utf-8")
    corpus, characters = folder / "train.conllu", folder / "characters.txt"
    assert call("documents", "compile", folder / "annotated", corpus, "--language", "de") in (0, None)
    assert call("features", "characters", characters, corpus) in (0, None)
    words = sorted({word for document in read_documents(corpus) for word in document.words})
    with open(folder / "vectors.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{word} {len(word)}.5 {ord(word[0]) % 7}.0 1.0\n" for word in words)
    same = "\n".join(
        f"  {key} = {corpus}" for key in ("train_path", "eval_path", "conll_eval_path", "test_path")
    )
    (folder / "german.conf").write_text(
        f"""
include "{REFERENCE / "experiments.conf"}"
german = ${{small}} {{
  language = de
{same}
  char_vocab_path = {characters}
  embeddings = [{{ path = {folder / "vectors.txt"}, size = 3 }}]
  log_root = {folder / "logs"}
  eval_frequency = 3
}}
"""
    )
    return load_experiment("german", folder / "german.conf")


def test_german_trains_and_predicts(eagerly, german, capsys):
    from coref_tf.training.fit import fit

    [document] = read_documents(german.train_path[0])
    assert "z.B." in document.words, "the German tokenizer keeps abbreviations whole"
    outcome = fit(german, max_steps=3)
    assert outcome.state.step == 3
    text = "Die Bäckerin schläft. Sie träumt z.B. von Brot."
    document = document_from_text(text, "nw/neu", language=german.language)
    assert [len(sentence) for sentence in document.sentences] == [4, 6]

    conf, output = (german.log_root.parent / name for name in ("german.conf", "annotated.txt"))
    options = ["--conf", conf, "--model", "german", "--text", text, "-o", output]
    assert call("resolve", *options, "--annotated") in (0, None)
    assert re.sub(r"\[\d+ |\]", "", output.read_text(encoding="utf-8")) == text + "\n"
    assert call("resolve", *options) == 1
    assert "language = de, but resolving text is supported only in English" in capsys.readouterr().err


def test_the_language_chooses_the_tokenizer():
    assert document_from_text("z.B. so", "x", language="de").words == ("z.B.", "so")
    assert document_from_text("z.B. so", "x").words != ("z.B.", "so")
    assert document_from_text("我们走。你来。", "x", language="zh").sentences == (
        ("我", "们", "走", "。"),
        ("你", "来", "。"),
    )
    with pytest.raises(CorefError, match="language qq: spaCy has no tokenizer for it"):
        document_from_text("Hm.", "x", language="qq")


def test_an_experiment_has_a_language():
    conf = REFERENCE / "experiments.conf"
    assert load_experiment("small", conf).language == "en"
    with pytest.raises(CorefError, match="language must be a spaCy language code such as en or de"):
        load_experiment("small", conf, ["language=Plattdüütsch"])


def test_an_exported_graph_reads_english_only(german, tmp_path):
    from coref_tf.export.building import ExportOptions, build_serving_module

    with pytest.raises(CorefError, match="language = de; an exported graph only tokenizes English text"):
        build_serving_module([open_experiment(german)], tmp_path, ExportOptions())
