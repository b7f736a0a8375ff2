"""coref_tf.load and the resolver that it returns, as a user of the package calls them."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from random_documents import REFERENCE

import coref_tf
from coref_tf.api.result import Cluster, Mention, Result
from coref_tf.config import load_experiment
from coref_tf.documents import Document, read_documents
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.support import resources
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

TEXT = "The harbour council met. It voted, and the council's treasurer said she agreed. Ana said it met."


@pytest.fixture(scope="module")
def resolver(folder):
    return coref_tf.load("small", conf=folder / "experiments.conf")


@pytest.fixture(scope="module")
def documents():
    return list(read_documents(REFERENCE / "docs.jsonlines"))


@pytest.fixture(scope="module")
def predictions(folder, documents):
    predictor = Predictor.from_models(
        [open_experiment(load_experiment("small", folder / "experiments.conf"))]
    )
    return [predictor.predict(document, details=True) for document in documents]


def test_import_is_lazy_and_silent():
    code = "import sys, coref_tf; coref_tf.load; heavy = {'tensorflow', 'numpy', 'spacy', 'h5py'} & set(sys.modules); "
    done = subprocess.run(
        [sys.executable, "-c", code + "assert not heavy, heavy"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_result_equals_the_prediction(resolver, documents, predictions):
    mentions = 0
    for document, prediction in zip(documents, predictions, strict=True):
        result = resolver(document)
        assert result.document is document and result.spans == prediction.clusters
        for cluster, mention in ((found, mention) for found in result for mention in found):
            mentions += 1
            number = prediction.top_spans.index((mention.start, mention.end))
            row = prediction.output.antecedents.scores[number]
            assert mention.probability == pytest.approx(prediction.place_probabilities[number], abs=1e-5)
            assert mention.score == pytest.approx(prediction.output.top_span_mention_scores[number], abs=1e-5)
            assert mention.text == " ".join(document.words[mention.start : mention.end + 1])
            assert (mention.begin_char, mention.end_char) == (None, None)
            if mention.antecedent is None:
                assert (
                    row.argmax() == 0 and mention.antecedent_score is mention.antecedent_probability is None
                )
            else:
                chosen = prediction.output.antecedents.indices[number][row.argmax() - 1]
                antecedent = cluster[mention.antecedent]
                assert (antecedent.start, antecedent.end) == prediction.top_spans[chosen]
                assert mention.antecedent_score == pytest.approx(row.max(), abs=1e-5)
    assert mentions > 20


def test_mentions_of_a_text_have_character_offsets(resolver):
    result = resolver(TEXT)
    assert len(result) > 0 and [len(cluster) >= 2 for cluster in result]
    for mention in itertools.chain(*result):
        assert TEXT[mention.begin_char : mention.end_char] == mention.text
        words = result.document.words[mention.start : mention.end + 1]
        assert "".join(words) == "".join(mention.text.split())
    assert str(result).startswith(f"text: {result.document.num_words} words, {len(result)} cluster")
    assert repr(result) == str(result)
    assert f"  1  {result[0]}" in str(result)


def test_to_dict_is_json_serialisable(resolver):
    result = resolver(TEXT)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["text"] == TEXT and plain["doc_key"] == "text"
    assert [[Mention(**mention) for mention in cluster] for cluster in plain["clusters"]] == [
        list(cluster) for cluster in result
    ]
    assert "text" not in resolver([["Ana", "left", "."]]).to_dict()


def test_words_with_speakers_and_genre(resolver, documents, predictions):
    document = next(
        d for d in documents if d.genre == "tc" or len({s for row in d.speakers for s in row}) > 1
    )
    given = resolver(
        [list(sentence) for sentence in document.sentences], speakers=document.speakers, genre=document.genre
    )
    assert given == Result(given.document, resolver(document).clusters)
    other = resolver(document.sentences, genre=document.genre)
    scores = [[mention.antecedent_score for mention in cluster] for cluster in other]
    assert scores != [[mention.antecedent_score for mention in cluster] for cluster in given]


def test_empty_input_has_no_clusters(resolver):
    for source in ("", " \n", []):
        assert resolver(source).clusters == () and bool(resolver(source))


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (5, {}, "expected a text, lists of the words of each sentence, or a Document. Received: 5"),
        (["Ana left."], {}, "expected a text, lists of the words of each sentence, or a Document"),
        ([1], {}, "expected a text, lists of the words of each sentence, or a Document. Received: [1]"),
        ([["Ana", 1]], {}, "expected a text, lists of the words of each sentence, or a Document"),
        (bytearray(b"Ana left."), {}, "expected a text, lists of the words of each sentence, or a Document"),
        (
            range(3),
            {},
            "expected a text, lists of the words of each sentence, or a Document. Received: range",
        ),
        ([["Ana"]], {"speakers": 5}, "speakers must be lists of names, one for each word of each sentence"),
        ("Ana left.", {"speakers": [["-"] * 3]}, "speakers requires lists of words"),
        ([["Ana"]], {"dialogue": True}, "dialogue=True requires a text"),
        (Document("nw/x", [["Ana"]]), {"genre": "nw"}, "it has its own speakers and genre"),
    ],
)
def test_invalid_documents_are_refused(resolver, source, options, message):
    with pytest.raises(CorefError, match=re.escape(message)) as error:
        resolver(source, **options)
    assert "\n" not in str(error.value)


def test_pipe_streams_in_order_and_reads_no_further_than_needed(resolver, documents):
    taken = []

    def endless():
        for document in itertools.cycle(documents):
            taken.append(document)
            yield document

    results = resolver.pipe(endless())
    first = [next(results) for _ in range(5)]
    assert [result.document for result in first] == taken[:5]
    assert [result.spans for result in first] == [resolver(document).spans for document in taken[:5]]
    words = sum(document.num_words for document in taken)
    # The number of words in flight is bounded by 2048 for each core.
    assert words < 5 * max(d.num_words for d in documents) + 2048 * 128
    texts = list(resolver.pipe(iter([TEXT, "It rains."]), genre="nw"))
    assert texts[0] == resolver(TEXT, genre="nw") and texts[1].document.text == "It rains."


def test_pipe_refuses_a_single_text(resolver):
    with pytest.raises(CorefError, match="pipe expects several texts; for one, call the resolver"):
        resolver.pipe(TEXT)


def test_pipe_yields_earlier_results_before_it_raises(resolver, documents):
    def failing():
        yield from documents[:2]
        raise OSError("the disk failed")

    for sources, kind, message in [
        (failing(), OSError, "the disk failed"),
        ([*documents[:2], 5, documents[2]], CorefError, "Received: 5"),
    ]:
        results = resolver.pipe(sources)
        assert [next(results).document, next(results).document] == list(documents[:2])
        with pytest.raises(kind, match=message):
            next(results)


def test_a_forked_process_is_told_to_load_its_own_model(here):
    """Without the error it would hang forever, since the threads are not forked with it."""
    script = """
import multiprocessing, sys
import coref_tf
from coref_tf.support.errors import CorefError

resolver = coref_tf.load(sys.argv[1])
resolver("Ana said she was late.")

def use():
    try:
        resolver("Ana said she was late.")
    except CorefError as error:
        print(error, flush=True)

child = multiprocessing.get_context("fork").Process(target=use)
child.start()
child.join(60)
print("hangs" if child.is_alive() else "ends", flush=True)
child.kill()
"""
    for model in ("small", "exported"):
        command = [sys.executable, "-c", script, model]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
        assert "was loaded before the process was forked" in done.stdout, done.stderr
        assert done.stdout.endswith("\nends\n") and done.stdout.count("\n") == 2


def test_checkpoint_and_export_give_the_same_result(here, resolver, documents):
    checkpoint = coref_tf.load(here / "logs" / "small" / "best.h5")
    exported = coref_tf.load("exported")
    version = coref_tf.load(here / "exported" / "1")
    with pytest.raises(CorefError, match="the precision of its links has not been measured"):
        coref_tf.load("exported", precision=0.5)
    for source in (*documents, TEXT, ""):
        expected = resolver(source)
        assert checkpoint(source) == expected
        assert version(source) == exported(source)
        check_same(exported(source), expected)
    for result, source in zip(exported.pipe([TEXT, documents[0]]), [TEXT, documents[0]], strict=True):
        check_same(result, resolver(source))


def check_same(result, expected):
    assert result.spans == expected.spans
    for ours, theirs in zip(itertools.chain(*result), itertools.chain(*expected), strict=True):
        assert ours.antecedent == theirs.antecedent and ours.text == theirs.text
        scores = [[m.score, m.antecedent_score or 0.0] for m in (ours, theirs)]
        np.testing.assert_allclose(*scores, atol=1e-5, rtol=1e-5)
        assert ours.probability == pytest.approx(theirs.probability, abs=1e-5)
        assert ours.antecedent_probability == pytest.approx(theirs.antecedent_probability, abs=1e-5)


def test_several_models_are_an_ensemble(here, resolver):
    both = coref_tf.load("small", here / "logs" / "small" / "best.h5")
    check_same(both(TEXT), resolver(TEXT))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "^no model english"),
        (
            ("smal",),
            r"^no model smal \(did you mean small\?\); this package has no bundled models; you can also give the path"
            r" of a model, or a trained experiment of experiments\.conf$",
        ),
        (("exported", "small"), "an export cannot be combined with other models"),
        (("experiments.conf",), "experiments.conf: not a coref_tf checkpoint"),
        (("logs",), "logs contains no model versions"),
    ],
)
def test_invalid_models_give_a_one_line_error(here, names, message, monkeypatch):
    monkeypatch.setattr("coref_tf.models.open_model.bundled_models", dict)
    with pytest.raises(CorefError, match=message):
        coref_tf.load(*names)


def test_cores_must_be_set_before_tensorflow_starts(here, resolver):
    for cores, message in [
        (0, "cores must be a positive integer"),
        (7, "TensorFlow already runs in this process"),
    ]:
        with pytest.raises(CorefError, match=message):
            coref_tf.load("small", cores=cores)


def test_bundled_models_are_loaded_by_name(here, resolver, monkeypatch, tmp_path):
    (tmp_path / "data" / "models").mkdir(parents=True)
    shutil.copy(here / "logs" / "small" / "best.h5", tmp_path / "data" / "models" / "english.h5")
    monkeypatch.setattr(resources, "resources_folder", lambda: tmp_path)
    assert coref_tf.load("english")(TEXT) == coref_tf.load()(TEXT) == resolver(TEXT)
    with pytest.raises(CorefError, match="bundled models: english"):
        coref_tf.load("german")


def test_clusters_are_indexed_and_iterated():
    mentions = tuple(Mention(text, n, n, None, None, 1.0, None, None) for n, text in enumerate("ab"))
    cluster = Cluster(mentions)
    assert (list(cluster), cluster[1], len(cluster), str(cluster)) == (
        list(mentions),
        mentions[1],
        2,
        "a · b",
    )
