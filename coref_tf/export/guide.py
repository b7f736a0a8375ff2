"""DIR/README.md: what an exported model takes and gives, and how to call it."""

import json
from collections.abc import Sequence
from pathlib import Path

from tensorflow.core.framework.types_pb2 import DataType
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf.export.warmup import EXAMPLES
from coref_tf.support.files import atomic_write

MEANINGS = {
    "tokens": "the words: a row for each sentence, padded with empty strings",
    "speakers": "who says each word, in the shape of `tokens`; all empty, of any shape, if unknown",
    "genre": "such as `nw`; one that the model doesn't know, or an empty one, counts as its default",
    "text": "a text as it stands, in UTF-8",
    "min_probability": "links that give a less probable place are taken away, from 0 (the default: none) to 1",
    "sentence_lengths": "of all documents, in words",
    "document_lengths": "in sentences",
    "genres": "one for each document; all empty, however many, if unknown",
    "mention_starts": "first word of each mention (a span in a cluster), ordered by first, then last word",
    "mention_ends": "its last word",
    "mention_clusters": "its cluster; clusters count from 0 in the order of their first mentions",
    "mention_scores": "how much the span looks like a mention",
    "mention_probability": "of its place in its cluster: of all antecedents there together",
    "antecedent_probability": "of its best antecedent alone; of having none, if that is best",
    "head_attention": "how much each of its words counts as its head; 0 behind its last word",
    "top_span_starts": "first word of each span considered, ordered like mentions",
    "top_span_ends": "its last word",
    "top_span_mention_scores": "how much it looks like a mention",
    "top_span_antecedents": "the place among these spans of the antecedent chosen for it; -1: none",
    "top_span_antecedent_scores": "the score of the two; 0 for none",
    "top_span_antecedent_probability": "of that antecedent alone; 0 for none",
    "top_span_probability": "of its place in its cluster; 0 in none",
    "candidate_starts": "first word of every span that was scored, before the best were kept",
    "candidate_ends": "its last word",
    "candidate_mention_scores": "how much it looks like a mention",
    "head_scores": "of each word; a softmax over a span's words is its head attention",
    "antecedent_indices": "for each span considered, the places among them of its possible antecedents; then 0",
    "antecedent_lengths": "how many it has",
    "antecedent_scores": "of having none, which is 0, then of each; behind the last -inf",
    "mention_begin_char": "its first character in the text, counted in code points",
    "mention_end_char": "the character behind its last",
    "mention_text": "how it reads",
    "mention_documents": "the document it is in; words are counted from 0 in each",
    "top_span_documents": "the document it is in",
}
BATCH_MEANINGS = {
    "tokens": "the words of all documents end to end",
    "speakers": "who says each word; all empty, however many, if unknown",
}


def write_guide(version: Path, names: Sequence[str], portable: bool) -> None:
    """Writes README.md beside the folder of a version."""
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
        # In the order of the meanings, which goes from what matters most to details.
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

Which words of a text refer to the same person or thing. Version {number} is {what}. Everything it needs is
inside: word vectors, vocabularies and settings. `{number}/assets.extra/coref_tf.json` tells how it was made.

## What it takes and gives

Spans are of words, counted from 0 over the document, and include both ends. A dot stands for any size. Words
that no document may have (not UTF-8, with a NUL character), rows with a hole and lengths that don't add up are an
InvalidArgument error that says so. No words give no mentions. A signature NAME_dial is NAME with
`min_probability`. That has a default, which C and gRPC take where it isn't fed; Python and REST want it said.

{tables}
{calls}"""

_PYTHON = """## Python

TensorFlow 2.15 is all it needs. In this folder:

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

The model has ops of its own, which make it fast. They are in `assets.extra/coref_ops.so` of each version, built for
the TensorFlow that `coref_tf.json` names. A process loads them before the model: `tf.load_op_library` in Python,
`TF_LoadLibrary` in C. `coref serve DIR` of the project serves it. TensorFlow Serving takes no such
libraries: for it, export with `--portable`.
"""

_SERVING = """
## TensorFlow Serving

In this folder:

    docker run -p 8500:8500 -p 8501:8501 -v "$PWD:/models/coref" -e MODEL_NAME=coref tensorflow/serving:2.15.1

REST, a POST to `http://localhost:8501/v1/models/coref:predict`. One of these bodies:

    {text}

    {serving_default}

    {batch}

    {text_dial}

The answer is `{{"outputs": {{"mention_starts": [...], ...}}}}`. Documents have no fixed size, so that there is no row
form (`instances`). gRPC, the same request with the package tensorflow-serving-api:

    import grpc, tensorflow as tf
    from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

    request = predict_pb2.PredictRequest()
    request.model_spec.name, request.model_spec.signature_name = "coref", "text"
    request.inputs["text"].CopyFrom(tf.make_tensor_proto("Ana Roy runs a bakery. She opened it."))
    stub = prediction_service_pb2_grpc.PredictionServiceStub(grpc.insecure_channel("localhost:8500"))
    print(stub.Predict(request, 60.0).outputs["mention_text"].string_val)

Warm-up requests are in `assets.extra`, so that the first of yours isn't slow. Where there is no TensorFlow Serving,
`coref serve DIR` of the project answers REST requests with the signatures `text` and `serving_default`.
"""

_C = """
## C and C++

`TF_LoadSessionFromSavedModel` with the tag `serve` loads a version's folder; `TF_SessionRun` feeds and fetches the
tensors in the tables' last column, whose number behind the colon is the index of the operation's output. The
project's `tests/export/resolve.c` is a whole program.
"""
