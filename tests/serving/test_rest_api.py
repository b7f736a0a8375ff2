"""The server over HTTP, against TensorFlow Serving's API and its messages."""

import base64
import json
import threading
import time

import pytest
from google.protobuf import json_format
from running_server import running, until
from tensorflow.core.framework import types_pb2
from tensorflow_serving.apis import get_model_metadata_pb2, get_model_status_pb2, model_pb2

MODEL = "/v1/models/coref"
SLOW = "slow 1000000000"
DOCUMENT = {"tokens": [["Ana", "saw", "Bo"], ["Ana", "left", ""]], "speakers": [[""] * 3] * 2, "genre": "nw"}


def test_the_status_is_a_model_status_response(server):
    for path in (MODEL, f"{MODEL}/versions/2"):
        response = json_format.ParseDict(
            server.get(path).content, get_model_status_pb2.GetModelStatusResponse()
        )
        (status,) = response.model_version_status
        assert (status.version, status.status.error_code) == (2, 0)
        assert status.state == get_model_status_pb2.ModelVersionStatus.AVAILABLE


@pytest.mark.parametrize("path", [f"{MODEL}/metadata", f"{MODEL}/versions/2/metadata"])
def test_the_metadata_is_a_model_metadata_response(server, path):
    content = server.get(path).content
    spec = json_format.ParseDict(content["model_spec"], model_pb2.ModelSpec())
    assert (spec.name, spec.version.value) == ("coref", 2)
    assert content["metadata"].keys() == {"signature_def"}
    signatures = get_model_metadata_pb2.SignatureDefMap()
    json_format.ParseDict(content["metadata"]["signature_def"], signatures)
    # What it would be in the message itself, where a field of any type has to say which.
    whole = content | {
        "metadata": {
            "signature_def": content["metadata"]["signature_def"]
            | {"@type": "type.googleapis.com/tensorflow.serving.SignatureDefMap"}
        }
    }
    json_format.ParseDict(whole, get_model_metadata_pb2.GetModelMetadataResponse())

    definition = signatures.signature_def["serving_default"]
    assert definition.method_name == "tensorflow/serving/predict"
    assert definition.inputs["tokens"].dtype == types_pb2.DT_STRING
    assert [dimension.size for dimension in definition.inputs["tokens"].tensor_shape.dim] == [-1, -1]
    plain = content["metadata"]["signature_def"]["signature_def"]["serving_default"]["inputs"]["genre"]
    assert plain["tensor_shape"] == {"dim": [], "unknown_rank": False}


def test_predictions_by_columns(server):
    answer = server.predict(inputs=DOCUMENT)
    assert answer.status == 200
    assert answer.content == {
        "outputs": {
            "genre_bytes": {"b64": base64.b64encode(b"nw").decode()},
            "mention_starts": [0, 2, 3],
            "mention_clusters": [0, 1, 0],
            "mention_scores": [0.2, 0.2, 0.2],
            "words": ["Ana", "Bo", "Ana"],
        }
    }


def test_predictions_by_documents(server):
    answer = server.predict(signature_name="text", instances=["Zoë saw Zoë", "nobody", {"b64": "QW5h"}])
    assert [prediction["mention_text"] for prediction in answer.content["predictions"]] == [
        ["Zoë"] * 2,
        [],
        ["Ana"],
    ]
    answer = server.predict(instances=[DOCUMENT, DOCUMENT | {"tokens": [], "speakers": []}])
    assert [prediction["mention_starts"] for prediction in answer.content["predictions"]] == [[0, 2, 3], []]


def test_predictions_of_stacked_rows_and_of_a_single_output(server):
    """The signature has one dimension more than the instances."""
    rows = [{"tokens": "Ana", "document_lengths": 1}, {"tokens": "left", "document_lengths": 1}]
    assert server.predict(signature_name="batch", instances=rows).content == {"predictions": [0, 1]}
    inputs = {"tokens": ["Ana", "saw", "Bo"], "document_lengths": [2, 1]}
    assert server.predict(signature_name="batch", inputs=inputs).content == {"outputs": [0, 0, 1]}


def test_a_version_by_number(server):
    assert server.predict(version=2, signature_name="text", inputs="Ana").content["outputs"]["words"] == [
        "Ana"
    ]
    for path in (f"{MODEL}/versions/7", f"{MODEL}/versions/7/metadata"):
        answer = server.get(path)
        assert answer.status == 404 and "version 7" in answer.error and "expected 2" in answer.error
    answer = server.predict(version=7, inputs=DOCUMENT)
    assert (answer.status, answer.error) == (404, "version 7 is not served; expected 2")


def test_what_the_model_refuses_is_a_400_without_the_names_of_nodes(server):
    answer = server.predict(inputs=DOCUMENT | {"speakers": [["a"]]})
    assert answer.status == 400
    assert "speakers must be shaped as tokens" in answer.error and "node" not in answer.error
    answer = server.predict(signature_name="batch", inputs={"tokens": ["Ana"], "document_lengths": [2]})
    assert answer.status == 400 and "document_lengths must sum to the words" in answer.error


def test_malformed_requests_are_a_400(server):
    answer = server.send("POST", f"{MODEL}:predict", b'{"inputs": ')
    assert (answer.status, answer.error) == (400, "the body is no JSON: Expecting value at character 12")
    answer = server.predict(inputs=DOCUMENT | {"tokens": [["Ana"], [5]]})
    assert answer.status == 400 and answer.error.startswith("inputs.tokens[1][0] is a number")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", f"{MODEL}:predict", "POST"),
        ("GET", f"{MODEL}/versions/2:predict", "POST"),
        ("POST", MODEL, "GET"),
        ("DELETE", f"{MODEL}/metadata", "GET"),
        ("PUT", "/healthz", "GET"),
    ],
)
def test_another_method_is_a_405(server, method, path, allowed):
    answer = server.send(method, path, b"")
    assert answer.status == 405
    assert f"{method} is not for {path}; expected" in answer.error and allowed in answer.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    ["/x", "/v1/models", "/v1/models/other", f"{MODEL}/", f"{MODEL}/versions/x", f"{MODEL}:classify", "//x"],
)
def test_another_path_is_a_404(server, path):
    answer = server.send("POST", path, b"{}")
    assert answer.status == 404
    assert answer.error.startswith(f"there is no {path}; expected {MODEL}[/versions/N]")


def test_a_compressed_body_is_a_415(server):
    answer = server.send("POST", f"{MODEL}:predict", b"\x1f\x8b", **{"Content-Encoding": "gzip"})
    assert answer.status == 415 and "expected plain JSON" in answer.error


def test_health(server):
    answer = server.get("/healthz")
    assert answer.status == 200
    assert answer.content == {
        "status": "ok",
        "model": "coref",
        "version": 2,
        "requests": 0,
        "workers": 2,
        "stuck": 0,
    }
    assert server.send("HEAD", "/healthz").status == 200


def test_too_long_and_too_many_words_are_a_413(tiny_models):
    with running(tiny_models, max_body=2**20, max_words=100) as server:
        fits = json.dumps({"signature_name": "text", "inputs": "Ana"}).encode()
        for body in (b"x" * (2**20 + 1), iter([b"x" * 2**19] * 40)):  # declared, and in chunks
            answer = server.send("POST", f"{MODEL}:predict", body)
            assert (answer.status, answer.error) == (413, "the body is longer than 1 MB; send less at a time")
        assert server.send("POST", f"{MODEL}:predict", fits.ljust(2**20)).status == 200
        assert server.send("POST", f"{MODEL}:predict", iter([fits[:9], fits[9:].ljust(2**19)])).status == 200
        assert server.text("a " * 100).status == 200
        answer = server.text("a " * 101)
        assert answer.status == 413 and answer.error.startswith("the request has 101 words, ")
        assert server.predict(signature_name="text", instances=["a " * 50, "a " * 51]).status == 413
        assert server.get("/healthz").content["requests"] == 0


def test_a_request_in_time_or_not(tiny_models):
    """Over time it is a 504, and the computation, which this one allows, ends soon."""
    with running(tiny_models, timeout=0.5, parallel=1) as server:
        began = time.monotonic()
        answer = server.text(SLOW)
        assert (answer.status, answer.error) == (504, "the answer would have taken more than 0.5 seconds")
        assert time.monotonic() - began < 30
        assert server.predict(signature_name="text", instances=["Ana", SLOW]).status == 504
        until(lambda: server.get("/healthz").content["requests"] == 0)
        assert server.text("Ana").status == 200


def test_a_full_queue_is_a_503_and_places_come_back(tiny_models):
    """One is computed, one waits, the third is refused; status and health answer meanwhile."""
    with running(tiny_models, parallel=1, queue=1, timeout=1.5) as server:
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(server.text(SLOW))) for _ in range(2)]
        for thread in threads:
            thread.start()
        until(lambda: server.get("/healthz").content["requests"] == 2)
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (503, "2 requests are waiting already; try again")
        assert answer.headers["Retry-After"] == "1"
        assert server.get(MODEL).status == 200
        for thread in threads:
            thread.join()
        assert [answer.status for answer in answers] == [504, 504]
        until(lambda: server.get("/healthz").content["requests"] == 0)
        assert server.text("Ana").status == 200


def test_requests_are_computed_in_parallel(tiny_models):
    """A quick one gets its answer while a slow one is under way."""
    with running(tiny_models, parallel=2, timeout=2) as server:
        slow = threading.Thread(target=server.text, args=(SLOW,))
        slow.start()
        until(lambda: server.get("/healthz").content["requests"] == 1)
        assert server.text("Ana").status == 200
        assert slow.is_alive()
        slow.join()


def test_without_a_model_requests_are_a_503(tiny_models):
    with running(tiny_models) as server:
        server.versions._current = None
        assert server.get("/healthz").status == 503
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (503, "no version of the model is loaded yet")


def test_a_failure_of_the_server_is_a_500(tiny_models, monkeypatch, caplog):
    with running(tiny_models) as server:
        with server.versions.use() as version:
            monkeypatch.setattr(version.model, "run", lambda *_: 1 / 0)
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (500, "the server failed; its log says why")
        until(lambda: "division by zero" in caplog.text)
        assert server.get("/healthz").content["requests"] == 0
