"""The spaCy component in a real pipeline."""

import pickle

import pytest
import spacy
from command import import_reference
from spacy.tokens import Doc, DocBin
from spacy.training import Example

import coref_tf
import coref_tf.integrations.spacy  # registers the component, as the installed package's entry point does
from coref_tf.integrations.spacy_docs import register_extensions, set_clusters
from coref_tf.support.errors import CorefError

TEXT = "The harbour council met. It voted, and the council's treasurer said she agreed. Ana said it met."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the imported checkpoint of the authors' small model."""
    return import_reference(tmp_path_factory.mktemp("spacy"))


@pytest.fixture(scope="module")
def nlp(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("coref_tf", config={"model": "small", "genre": "nw"})
        nlp(TEXT)  # loads the model while the folder is the working directory
    return nlp


def test_span_groups_and_extensions_agree_with_the_resolver(nlp, folder):
    doc = nlp(f"  {TEXT}\n\n")
    words = [[token.text for token in sentence if not token.is_space] for sentence in doc.sents]
    expected = coref_tf.load("small", conf=folder / "experiments.conf")(words, genre="nw")
    assert len(expected) and len(doc._.coref_clusters) == len(expected)
    for number, cluster in enumerate(expected, start=1):
        group = doc.spans[f"coref_clusters_{number}"]
        assert [" ".join(token.text for token in span) for span in group] == [
            mention.text for mention in cluster
        ]
        assert [doc.text[b:e] for b, e in doc._.coref_clusters[number - 1]] == [span.text for span in group]
        for span, mention in zip(group, cluster, strict=True):
            assert (
                span._.coref_probability == pytest.approx(mention.probability)
                and 0 < mention.probability <= 1
            )
    assert doc[0]._.coref_cluster is None and any(token._.coref_cluster for token in doc)
    assert isinstance(doc._.resolved_text, str)


def test_quotations_are_a_span_group(nlp):
    doc = nlp("“The harbour is empty,” said Ana.  “I know,” she added. Ivo left.")
    found = [(span.text, span.label_) for span in doc.spans["coref_quotations"]]
    assert [text for text, _ in found] == ["“The harbour is empty,”", "“I know,”"]
    assert found[0][1] == "Ana"
    assert not nlp("Ivo left.").spans["coref_quotations"]


def test_texts_get_the_default_genre_of_the_model(nlp, monkeypatch):
    """Without a configured genre, the component sets the model's default genre explicitly, so nothing is reported."""
    component, seen = nlp.get_pipe("coref_tf"), []
    monkeypatch.setitem(component.settings, "genre", "")
    resolver = component._resolver
    pipe = resolver.pipe
    monkeypatch.setattr(
        resolver, "pipe", lambda documents: pipe([d for d in documents if not seen.append(d.genre)])
    )
    nlp("Ana left.")
    assert seen == [resolver.default_genre] == ["nw"]


def test_pipe_equals_single_calls_and_its_results_can_be_saved(nlp):
    texts = [TEXT, "", "Ana left.", TEXT * 2]
    piped = list(nlp.pipe(texts, batch_size=2))
    assert [doc._.coref_clusters for doc in piped] == [nlp(text)._.coref_clusters for text in texts]
    [again, *_] = DocBin(docs=piped).get_docs(nlp.vocab)
    doc = Doc(nlp.vocab).from_bytes(piped[0].to_bytes())
    for copy in (again, doc):
        assert copy._.coref_clusters == piped[0]._.coref_clusters
    probabilities = [span._.coref_probability for group in piped[0].spans.values() for span in group]
    assert [span._.coref_probability for group in doc.spans.values() for span in group] == probabilities


def test_a_threshold_removes_links(nlp, folder, monkeypatch):
    monkeypatch.chdir(folder)
    component = nlp.get_pipe("coref_tf")
    doc = nlp(TEXT)
    highest = max(span._.coref_probability for group in doc.spans.values() for span in group)
    for threshold, some in ((highest - 1e-6, True), (highest + 1e-6, False)):
        monkeypatch.setitem(component.settings, "threshold", threshold)
        monkeypatch.setattr(component, "_resolver", None)
        clusters = nlp(TEXT)._.coref_clusters
        assert bool(clusters) == some and len(clusters) <= len(doc._.coref_clusters)


def test_missing_sentence_boundaries_are_added_with_a_warning(nlp, caplog):
    component = nlp.get_pipe("coref_tf")
    doc = component(spacy.blank("en").make_doc(TEXT))
    assert doc._.coref_clusters == nlp(TEXT)._.coref_clusters and len(list(doc.sents)) == 3
    assert "using spaCy's sentencizer" in caplog.text


def test_settings_can_be_saved_and_pickled(nlp, tmp_path, monkeypatch):
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    component = nlp.get_pipe("coref_tf")
    for copy in (again.get_pipe("coref_tf"), pickle.loads(pickle.dumps(component))):
        assert copy.settings == component.settings and copy._resolver is None
    monkeypatch.setattr(component, "_process", -1)
    with pytest.raises(CorefError, match="TensorFlow cannot be used in a forked process after it has run"):
        component._load()


def test_resolved_text_speakers_and_innermost_clusters():
    register_extensions()
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp("Ana left. I lost her dog.")
    set_clusters(doc, [[(0, 0), (5, 5)], [(3, 3)], [(5, 6)]], [[None, 0.75], [None], [0.5]])
    assert doc._.resolved_text == "Ana left. I lost Ana's dog."
    assert [token._.coref_cluster for token in doc] == [1, None, None, 2, None, 1, 3, None]
    assert doc[5:7]._.coref_probability == 0.5 and doc[0:1]._.coref_probability is None
    for token in list(doc.sents)[1]:
        token._.speaker = "Ivo"
    assert doc._.resolved_text == "Ana left. Ivo lost Ana's dog."


def test_evaluate_scores_clusters(nlp):
    gold = nlp(TEXT)
    example = Example(nlp.make_doc(TEXT), gold)
    assert nlp.evaluate([example])["coref_f"] == 1.0
    empty = Example(nlp.make_doc(TEXT), nlp.make_doc(TEXT))
    assert nlp.evaluate([empty])["coref_f"] == 0.0


@pytest.mark.parametrize(
    "config",
    [
        {"threshold": -0.1},
        {"threshold": 1.1},
        {"batch_size": 0},
        {"precision": 2},
        {"threshold": 0.5, "precision": 0.9},
    ],
)
def test_settings_are_checked(config):
    with pytest.raises(CorefError, match=next(iter(config))):
        spacy.blank("en").add_pipe("coref_tf", config=config)
