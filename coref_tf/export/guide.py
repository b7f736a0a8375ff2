"""Writes DIR/README.md: the inputs and outputs of an exported model, and how to call it."""

import json
from collections.abc import Sequence
from pathlib import Path

from tensorflow.core.framework.types_pb2 import DataType
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf.export.warmup import EXAMPLES
from coref_tf.support.files import atomic_write

MEANINGS = {
    "tokens": "the words: one row per sentence, padded with empty strings",
    "speakers": "the speaker of each word, with the shape of `tokens`; all empty, with any shape, if unknown",
    "genre": "the genre, such as `nw`; if it is empty or unknown to the model, the default genre is used",
    "text": "plain text in UTF-8",
    "min_probability": "removes links of mentions with a lower place probability; from 0, which keeps all, to 1",
    "sentence_lengths": "the length of each sentence of all documents, in words",
    "document_lengths": "the length of each document, in sentences",
    "genres": "one per document; all empty, with any length, if unknown",
    "mention_starts": "first word of each mention (a span in a cluster), ordered by first, then last word",
    "mention_ends": "its last word",
    "mention_clusters": "its cluster; clusters are numbered from 0 in the order of their first mentions",
    "mention_scores": "its mention score",
    "mention_probability": "its place probability: the sum of the probabilities of all its antecedents in its cluster",
    "antecedent_probability": "the probability of its best antecedent alone, or of having none if that is best",
    "head_attention": "the attention weight of each of its words; 0 after its last word",
    "top_span_starts": "first word of each kept span, ordered like mentions",
    "top_span_ends": "its last word",
    "top_span_mention_scores": "its mention score",
    "top_span_antecedents": "the index among these spans of its best antecedent; -1 for none",
    "top_span_antecedent_scores": "the score of the pair; 0 for none",
    "top_span_antecedent_probability": "the probability of that antecedent alone; 0 for none",
    "top_span_probability": "its place probability; 0 if it is in no cluster",
    "candidate_starts": "first word of every candidate span, before pruning",
    "candidate_ends": "its last word",
    "candidate_mention_scores": "its mention score",
    "head_scores": "the head score of each word; a softmax over the words of a span gives its head attention",
    "antecedent_indices": "for each kept span, the indices of its possible antecedents (kept spans), padded with 0",
    "antecedent_lengths": "the number of its possible antecedents",
    "antecedent_scores": "the score of having no antecedent, 0, then that of each possible one; -inf after the last",
    "mention_begin_char": "its first character in the text, counted in code points",
    "mention_end_char": "the character after its last",
    "mention_text": "its text",
    "mention_documents": "its document; words are counted from 0 in each document",
    "top_span_documents": "its document",
}
BATCH_MEANINGS = {
    "tokens": "the words of all documents, concatenated",
    "speakers": "the speaker of each word; all empty, with any length, if unknown",
}


def write_guide(version: Path, names: Sequence[str], portable: bool) -> None:
    """Writes README.md next to the folder of a version."""
    saved = SavedModel.FromString((version / "saved_model.pb").read_bytes())
    signatures = saved.meta_graphs[0].signature_def
    tables = "\n".join(_signature(name, signatures[name]) for name in EXAMPLES)
    what = f"the experiment {names[0]}" if len(names) == 1 else f"an ensemble of {', '.join(names)}"
    with atomic_write(version.parent / "README.md") as file:
        file.write(_GUIDE.format(number=version.name, what=what, tables=tables, calls=_calls(portable)))


def _signature(name: str, signature: SignatureDef) -> str:
    lines = [f"### `{name}`\n", "| | type | shape | meaning | tensor |", "|---|---|---|---|---|"]
    meanings = MEANINGS | (BATCH_MEANINGS if name.startswith("batch") else {})
    for title, tensors in (("in", signature.inputs), ("out", signature.outputs)):
        # In the order of MEANINGS, from the most important to details.
        for tensor_name in sorted(tensors, key=list(MEANINGS).index):
            tensor = tensors[tensor_name]
            kind = DataType.Name(tensor.dtype).removeprefix("DT_").lower()
            sizes = [dimension.size if dimension.size >= 0 else "·" for dimension in tensor.tensor_shape.dim]
            shape = f"[{', '.join(map(str, sizes))}]"
            meaning = meanings[tensor_name]
            lines.append(f"| {title} `{tensor_name}` | {kind} | {shape} | {meaning} | `{tensor.name}` |")
    return "\n".join(lines) + "\n"


def _calls(portable: bool) -> str:
    bodies = {
        name: json.dumps({"signature_name": name, "inputs": inputs}) for name, inputs in EXAMPLES.items()
    }
    serving = _SERVING.format(**bodies)
    if portable:
        return _PYTHON.format(load="") + serving + _C
    return _PYTHON.format(load=_LOAD_OPS) + _OPS


_GUIDE = """# A coreference model

This model finds the words of a text that refer to the same person or thing. Version {number} is {what}. It contains
everything it needs: word vectors, vocabularies and settings. `{number}/assets.extra/coref_tf.json` describes it.

## Inputs and outputs

Spans are inclusive and count words from 0 over the document. A dot in a shape means any size. Invalid words (not UTF-8,
or with a NUL character), rows with gaps, and lengths that do not add up raise an InvalidArgument error with the reason.
An input without words has no mentions. A signature NAME_dial is NAME with the additional input `min_probability`. It
has a default, which C and gRPC use if it is not fed; Python and REST require a value.

{tables}
{calls}"""

_PYTHON = """## Python

It requires only TensorFlow 2.15. In this folder:

```python
import pathlib
import tensorflow as tf

newest = max((path for path in pathlib.Path.cwd().iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))
{load}model = tf.saved_model.load(str(newest))
found = model.signatures["text"](text=tf.constant("Ana Roy runs a bakery. She opened it with her brother."))
for cluster, mention in zip(found["mention_clusters"].numpy(), found["mention_text"].numpy()):
    print(cluster, mention.decode())
```
"""

_LOAD_OPS = """tf.load_op_library(str(newest / "assets.extra" / "coref_ops.so"))
"""

_OPS = """
## Other ways to run it

For speed, the model uses custom ops. They are in `assets.extra/coref_ops.so` of each version, built for the TensorFlow
version in `coref_tf.json`. Load them before the model: with `tf.load_op_library` in Python, with `TF_LoadLibrary` in C.
The project's `coref serve DIR` serves the model. TensorFlow Serving does not load such libraries: for it, export with
`--portable`.
"""

_SERVING = """
## TensorFlow Serving

In this folder:

    docker run -p 8500:8500 -p 8501:8501 -v "$PWD:/models/coref" -e MODEL_NAME=coref tensorflow/serving:2.15.1

For REST, send a POST request to `http://localhost:8501/v1/models/coref:predict` with one of these bodies:

    {text}

    {serving_default}

    {batch}

    {text_dial}

The answer is `{{"outputs": {{"mention_starts": [...], ...}}}}`. Documents have no fixed size, so there is no row format
(`instances`). The same request with gRPC and the package tensorflow-serving-api:

    import grpc, tensorflow as tf
    from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

    request = predict_pb2.PredictRequest()
    request.model_spec.name, request.model_spec.signature_name = "coref", "text"
    request.inputs["text"].CopyFrom(tf.make_tensor_proto("Ana Roy runs a bakery. She opened it."))
    stub = prediction_service_pb2_grpc.PredictionServiceStub(grpc.insecure_channel("localhost:8500"))
    print(stub.Predict(request, 60.0).outputs["mention_text"].string_val)

`assets.extra` contains warm-up requests, so that your first request is fast. Without TensorFlow Serving, the project's
`coref serve DIR` answers REST requests with the signatures `text` and `serving_default`.
"""

_C = """
## C and C++

`TF_LoadSessionFromSavedModel` with the tag `serve` loads the folder of a version; `TF_SessionRun` feeds and fetches the
tensors in the last column of the tables, where the number after the colon is the index of the operation's output.
`tests/export/resolve.c` in the project is a complete program.
"""
