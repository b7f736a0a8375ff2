"""The server's REST API, as in TensorFlow Serving: answers, errors, limits and the order of requests."""

import json
import threading
import time

import pytest
from fake_model import FakeModel
from google.protobuf import json_format
from running_server import running, until
from tensorflow_serving.apis import get_model_status_pb2

from coref_tf.serving.limits import Limits
from coref_tf.serving.workers import SHORT_WORDS

MODEL = "/v1/models/coref"
PATHS = f"/, /resolve, {MODEL}, {MODEL}:predict or /healthz"
DOCUMENT = {
    "tokens": [["Ana", "saw", "Ben"], ["she", "left", ""]],
    "speakers": [[""] * 3] * 2,
    "genre": "nw",
}
LONG = "word " * (SHORT_WORDS + 1)


def in_threads(number, ask):
    """Calls ask(0), ask(1), ... each in a thread; returns the threads and a list that collects (n, answer)."""
    answers = []
    threads = [threading.Thread(target=lambda n=n: answers.append((n, ask(n)))) for n in range(number)]
    for thread in threads:
        thread.start()
    return threads, answers


def test_the_status_is_a_model_status_response(server):
    content = server.get(MODEL).content
    response = json_format.ParseDict(content, get_model_status_pb2.GetModelStatusResponse())
    (status,) = response.model_version_status
    assert (status.version, status.status.error_code) == (1, 0)
    assert status.state == get_model_status_pb2.ModelVersionStatus.AVAILABLE


def test_one_document_of_words(server):
    answer = server.predict(inputs=DOCUMENT)
    assert answer.status == 200 and answer.content.keys() == {"outputs"}
    outputs = answer.content["outputs"]
    assert outputs["mention_starts"] == outputs["mention_ends"] == [0, 3]
    assert outputs["mention_clusters"] == [0, 0] and outputs["mention_scores"] == [1.0, 1.0]
    assert outputs["top_span_starts"] == [0, 2, 3] and outputs["top_span_antecedents"] == [-1, -1, 0]
    assert "mention_text" not in outputs


def test_one_text(server):
    outputs = server.text("Zoë met Ana. Then she left.").content["outputs"]
    assert outputs["mention_text"] == ["Ana", "she"]
    assert (outputs["mention_begin_char"], outputs["mention_end_char"]) == ([8, 18], [11, 21])


def test_several_documents(server):
    answer = server.predict(signature_name="text", instances=["Ana hurt her foot.", "nobody", "", "Zoe Zoe"])
    found = [prediction["mention_text"] for prediction in answer.content["predictions"]]
    assert found == [["Ana", "her"], [], [], ["Zoe", "Zoe"]]
    answer = server.predict(instances=[DOCUMENT, DOCUMENT | {"tokens": [], "speakers": []}])
    assert [prediction["mention_starts"] for prediction in answer.content["predictions"]] == [[0, 3], []]


def test_a_minimum_probability(server):
    asked = {"signature_name": "text", "inputs": "Ana met Zoe. Then she left."}
    assert server.predict(**asked).content["outputs"]["mention_text"] == ["Zoe", "she"]
    assert server.predict(**asked, min_probability=0.999).content["outputs"]["mention_text"] == []


def test_malformed_requests_are_a_400(server):
    answer = server.send("POST", f"{MODEL}:predict", b'{"inputs": ')
    assert (answer.status, answer.error) == (400, "the body is not JSON: Expecting value at character 12")
    answer = server.predict(inputs=DOCUMENT | {"tokens": [["a\0b"]], "speakers": []})
    assert answer.status == 400 and "without NUL characters" in answer.error


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", f"{MODEL}:predict", "POST"), ("POST", MODEL, "GET"), ("PUT", "/healthz", "GET")],
)
def test_another_method_is_a_405(server, method, path, allowed):
    answer = server.send(method, path, b"")
    assert answer.status == 405
    assert (
        f"{path} does not support {method}; expected" in answer.error and allowed in answer.headers["Allow"]
    )


@pytest.mark.parametrize(
    "path",
    ["/x", "/v1/models", "/v1/models/other", f"{MODEL}/", f"{MODEL}/versions/1", f"{MODEL}:classify", "//x"],
)
def test_another_path_is_a_404(server, path):
    answer = server.send("POST", path, b"{}")
    assert answer.status == 404
    assert answer.error.startswith(f"there is no {path}; expected {PATHS}")


def test_a_body_must_be_plain_json(server):
    body = b'{"signature_name": "text", "inputs": "Ana"}'
    answer = server.send("POST", f"{MODEL}:predict", body, **{"Content-Encoding": "gzip"})
    assert answer.status == 415 and "expected plain application/json" in answer.error
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        for path in (f"{MODEL}:predict", "/resolve"):
            answer = server.send("POST", path, body, **{"Content-Type": kind})
            expected = f"Content-Type is {kind or 'missing'}; expected application/json"
            assert (answer.status, answer.error) == (415, expected)
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert server.send("POST", f"{MODEL}:predict", body, **kind).status == 200


@pytest.mark.parametrize("path", ["/", "/resolve", "/healthz", MODEL, f"{MODEL}:predict", "/x"])
def test_another_host_is_a_421(server, path):
    """DNS rebinding: requests whose host is another name are refused."""
    for host in ("rebound.example", "localhost.example:8501", "127.0.0.1.example", "", "[", "x" * 5000):
        answer = server.send("GET", path, Host=host)
        assert (
            answer.status == 421 and "expected localhost, or a name allowed by --allowed-host" in answer.error
        )
        assert len(answer.error) < 300


def test_local_and_allowed_hosts_are_accepted(server):
    for host in ("localhost", "LOCALHOST:8501", "127.0.0.1", "127.0.0.1:80", "[::1]:8501"):
        assert server.send("GET", "/healthz", Host=host).status == 200, host
    with running(FakeModel(), hosts=frozenset(["coref.example"])) as other:
        assert other.send("GET", "/healthz", Host="coref.example:443").status == 200
        assert other.send("GET", "/healthz", Host="other.example").status == 421


def test_health(server):
    answer = server.get("/healthz")
    assert (answer.status, answer.content) == (200, {"status": "ok", "model": "coref", "requests": 0})
    assert server.send("HEAD", "/healthz").status == 200


def test_bodies_that_are_too_long_or_have_too_many_words_are_a_413(model):
    with running(model, max_body=2**20, max_words=100) as server:
        fits = json.dumps({"signature_name": "text", "inputs": "Ana"}).encode()
        for body in (b"x" * (2**20 + 1), iter([b"x" * 2**19] * 4)):  # with a declared length, and in chunks
            answer = server.send("POST", f"{MODEL}:predict", body)
            assert (answer.status, answer.error) == (413, "the body is longer than 1 MB; send less at a time")
        assert server.send("POST", f"{MODEL}:predict", fits.ljust(2**20)).status == 200
        assert server.send("POST", f"{MODEL}:predict", iter([fits[:9], fits[9:].ljust(2**19)])).status == 200
        assert server.text("a " * 100).status == 200
        answer = server.text("a " * 101)
        assert answer.status == 413 and answer.error.startswith("the request has 101 words, ")
        assert server.predict(signature_name="text", instances=["a " * 50, "a " * 51]).status == 413
        assert server.get("/healthz").content["requests"] == 0


def test_an_answer_that_takes_too_long_is_a_504(model):
    """After the timeout, the request computes no further document."""
    with running(model, timeout=0.5) as server:
        answer = server.predict(signature_name="text", instances=["zzz", "Ana"])
        assert (answer.status, answer.error) == (504, "the answer would have taken more than 0.5 seconds")
        assert server.get("/healthz").content["requests"] == 1
        model.go.set()
        until(lambda: server.get("/healthz").content["requests"] == 0)
        assert model.documents == [1]
        assert server.text("Ana").status == 200


def test_a_full_queue_is_a_503_until_places_are_free(model):
    with running(model, parallel=1, queue=1) as server:
        threads, answers = in_threads(2, lambda _: server.text("zzz"))
        until(lambda: server.get("/healthz").content["requests"] == 2)
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (503, "2 requests are already waiting; try again")
        assert answer.headers["Retry-After"] == "1"
        assert server.get(MODEL).status == 200
        model.go.set()
        for thread in threads:
            thread.join()
        assert [answer.status for _, answer in answers] == [200, 200]
        assert server.text("Ana").status == 200


def test_short_requests_overtake_long_ones(model):
    """Short requests are answered while long ones wait, and the long ones finish, too."""
    with running(model, parallel=2, queue=20) as server:
        threads, answers = in_threads(12, lambda n: server.text(f"zzz {LONG}"))
        until(lambda: server.get("/healthz").content["requests"] == 12)
        for _ in range(3):
            assert server.text("Ana left.").status == 200
        assert server.resolve(text="Ana left.").status == 200
        refused = server.text(LONG)
        assert (refused.status, refused.error) == (503, "12 long requests are already waiting; try again")
        assert answers == []
        model.go.set()
        for thread in threads:
            thread.join()
        assert [answer.status for _, answer in answers] == [200] * 12


def test_waiting_short_requests_are_answered_in_order_of_length(model):
    """Short requests that wait are computed in the order of their numbers of words, not of their arrival."""
    with running(model, parallel=1) as server:
        first, _ = in_threads(1, lambda _: server.text(f"zzz {LONG}"))
        until(lambda: len(model.documents) == 1)
        second, _ = in_threads(1, lambda _: server.text("zzz " + "a " * 30))
        until(lambda: len(model.documents) == 2)
        others = []
        for number, words in enumerate((500, 5, 50)):
            others += in_threads(1, lambda _, words=words: server.text("a " * words))[0]
            until(lambda number=number: server.get("/healthz").content["requests"] == 3 + number)
        model.go.set()
        for thread in first + second + others:
            thread.join()
        assert sorted(model.documents[2:]) == [5, 50, 500] and model.documents.index(
            5
        ) < model.documents.index(50)


def test_a_failure_of_the_server_is_a_500(model, monkeypatch, caplog):
    with running(model) as server:
        monkeypatch.setattr(model, "predict", lambda *_, **__: 1 / 0)
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (500, "the server failed; see its log")
        until(lambda: "division by zero" in caplog.text)
        assert server.get("/healthz").content["requests"] == 0


def test_limits_leave_places_for_short_requests():
    limits = Limits(parallel=1, queue=64)
    assert limits.places - limits.long_places == 32 and Limits(parallel=1, queue=0).long_places == 1


def test_20_answers_take_less_than_10_seconds(server):
    began = time.monotonic()
    for _ in range(20):
        assert server.text("Ana said she was late.").status == 200
    assert time.monotonic() - began < 10
