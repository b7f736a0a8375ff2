"""LangChain and LlamaIndex: the text of documents is resolved, and everything else in them is kept."""

import asyncio
import pickle
import re
import subprocess
import sys

import pytest
from fake_model import FakeModel

from coref_tf.api.resolver import Resolver
from coref_tf.integrations import text_resolver
from coref_tf.integrations.text_resolver import TextResolver
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

TEXT, RESOLVED = "Ana left. she ran.", "Ana left. Ana ran."


@pytest.fixture(autouse=True)
def loaded(monkeypatch):
    """Replaces every model by one that links "she" to Ana with a probability of 0.98; lists the loaded names."""
    names = []

    def load(name):
        names.append(name)
        return Resolver(FakeModel(), cautious_probability=0.8)

    monkeypatch.setattr(text_resolver, "load", load)
    return names


def test_the_model_is_loaded_once_when_first_needed(loaded):
    texts = TextResolver("best")
    assert loaded == []
    assert list(texts.resolve([TEXT, "", TEXT])) == [RESOLVED, "", RESOLVED]
    assert list(texts.resolve([TEXT])) == [RESOLVED] and loaded == ["best"]
    assert list(TextResolver(texts.resolver, min_probability=0.99).resolve([TEXT])) == [TEXT]
    assert list(TextResolver(texts.resolver, keep=["she"]).resolve([TEXT])) == [TEXT]
    assert loaded == ["best"]
    with pytest.raises(CorefError, match="expected a probability from 0 to 1"):
        TextResolver(min_probability=2)
    # A pickled copy, as in another process, loads the model again.
    assert list(pickle.loads(pickle.dumps(texts)).resolve([TEXT])) == [RESOLVED] and loaded == ["best"] * 2


def test_langchain_documents(loaded):
    documents = pytest.importorskip("langchain_core.documents", reason="needs langchain-core")
    from coref_tf.integrations.langchain import CorefTransformer

    transformer = CorefTransformer()
    assert isinstance(transformer, documents.BaseDocumentTransformer) and not loaded
    given = [
        documents.Document(page_content=TEXT, metadata={"source": "a.txt"}, id="7"),
        documents.Document(page_content="", metadata={"page": 2}),
    ]
    made = transformer.transform_documents(given)
    assert made == asyncio.run(transformer.atransform_documents(given))
    assert [document.page_content for document in made] == [RESOLVED, ""] and loaded == ["english"]
    assert [(each.metadata, each.id) for each in made] == [({"source": "a.txt"}, "7"), ({"page": 2}, None)]
    made[0].metadata["source"] = "b.txt"
    assert given[0].metadata == {"source": "a.txt"} and given[0].page_content == TEXT
    assert transformer.transform_documents([]) == []


def test_llama_index_nodes(loaded):
    schema = pytest.importorskip("llama_index.core.schema", reason="needs llama-index-core")
    from llama_index.core.ingestion import IngestionPipeline
    from llama_index.core.node_parser import SentenceSplitter

    from coref_tf.integrations.llama_index import CorefTransform

    transform = CorefTransform(model="best", keep=["nobody"])
    assert isinstance(transform, schema.TransformComponent) and not loaded
    given = [
        schema.Document(text=TEXT, metadata={"source": "a.txt"}, id_="7"),
        schema.TextNode(text=TEXT, metadata={"page": 2}),
        schema.ImageNode(image_path="a.png"),
    ]
    made = transform(given)
    assert [node.get_content() for node in made] == [RESOLVED, RESOLVED, ""] and loaded == ["best"]
    assert [(node.metadata, node.node_id) for node in made] == [
        (node.metadata, node.node_id) for node in given
    ]
    assert given[0].text == TEXT
    assert transform.to_dict()["keep"] == ["nobody"]
    nodes = IngestionPipeline(transformations=[transform, SentenceSplitter()]).run(documents=given[:1])
    assert [node.get_content() for node in nodes] == [RESOLVED]
    assert nodes[0].metadata == {"source": "a.txt"} and nodes[0].ref_doc_id == "7"
    with pytest.raises(ValueError, match="less than or equal to 1"):
        CorefTransform(min_probability=2)


@pytest.mark.parametrize("name", ["langchain", "llama_index"])
def test_integrations_are_short_and_do_not_import_tensorflow(name):
    source = (ROOT / "coref_tf" / "integrations" / f"{name}.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) < 100
    library = re.search(r"^ +from (langchain_core|llama_index\.core)", source, re.MULTILINE)[1]
    pytest.importorskip(library, reason=f"needs {library}")
    code = f"import sys, coref_tf.integrations.{name}; assert 'tensorflow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
