"""Clients that send valid, oversized and malformed requests to a server, and check every answer.

python tests/serving/load_clients.py PORT [SECONDS [CLIENTS]]

This works with any model that has the signatures of an export, and with the server's default limits. The last line of
the output is JSON.
"""

import collections
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from http_client import Answer, Client

PREDICT = "/v1/models/coref:predict"
SENTENCES = (
    "Marta Oduya runs the bakery on Canal Street .",
    "She opened it in 2011 with her brother , Tomas , who still bakes the rye bread himself .",
    "When the city wanted to close the street , the two of them collected four thousand signatures .",
)
# The parts of an answer that must never change. Scores may differ in the last digit, because sums run in parallel.
STABLE = ("mention_starts", "mention_clusters", "mention_text")


class Case(NamedTuple):
    """A request, its relative frequency, and the expected status."""

    kind: str
    weight: int
    status: int
    body: bytes
    method: str = "POST"
    path: str = PREDICT
    chunked: bool = False  # sent without its length

    def send(self, client: Client) -> Answer:
        body = (
            (self.body[at : at + 65536] for at in range(0, len(self.body), 65536))
            if self.chunked
            else self.body
        )
        return client.send(self.method, self.path, body)


def cases() -> Iterator[Case]:
    """All kinds of requests, about three in four of them valid."""
    text = " ".join(SENTENCES)
    rows = [sentence.split() for sentence in SENTENCES]
    longest = max(map(len, rows))
    tokens = [row + [""] * (longest - len(row)) for row in rows]
    speakers = [[""] * longest for _ in rows]
    document = {"tokens": tokens, "speakers": speakers, "genre": "nw"}
    yield Case("valid", 30, 200, _body(signature_name="text", inputs=text))
    yield Case("valid", 4, 200, _body(signature_name="text", inputs={"text": text * 10}))
    yield Case("valid", 8, 200, _body(signature_name="text", instances=[text, SENTENCES[0]]))
    yield Case("valid", 30, 200, _body(inputs=document))
    yield Case("valid", 3, 200, _body(instances=[document, document]))
    yield Case("oversized", 2, 413, b"x" * (2 * 2**20))
    yield Case("oversized", 2, 413, b"x" * (2 * 2**20), chunked=True)
    yield Case("oversized", 2, 413, _body(signature_name="text", inputs=text * 1000))
    yield Case("malformed", 3, 400, b'{"inputs": ')
    yield Case("malformed", 3, 400, _body(inputs=document | {"tokens": [["a", 1]]}))
    yield Case("malformed", 3, 400, _body(inputs=document | {"tokens": [["a", "", "b"]]}))
    yield Case("malformed", 3, 400, _body(signature_name="nothing", inputs=text))
    yield Case("malformed", 2, 404, b"{}", path="/v1/models/other:predict")
    yield Case("malformed", 2, 405, b"", method="GET")


def _body(**request: Any) -> bytes:
    return json.dumps(request).encode()


def stable(content: Any) -> Any:
    """Returns the parts of an answer that must always be the same."""
    if isinstance(content, dict):
        return {
            key: stable(value) for key, value in content.items() if key in ("outputs", "predictions", *STABLE)
        }
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return [stable(item) for item in content]
    return content


class Load:
    """Sends requests and records latencies and failures."""

    def __init__(self, client: Client):
        self.client = client
        self.cases = list(cases())
        self.expected = [
            stable(case.send(client).content) if case.status == 200 else None for case in self.cases
        ]
        self.seconds: dict[str, list[float]] = collections.defaultdict(list)
        self.failures: collections.Counter[str] = collections.Counter()

    def ask(self, seed: int, end: float) -> None:
        """Runs one client, which sends one request after the other until the end."""
        generator = random.Random(seed)
        weights = [case.weight for case in self.cases]
        while time.monotonic() < end:
            (number,) = generator.choices(range(len(self.cases)), weights)
            case, began = self.cases[number], time.monotonic()
            try:
                answer = case.send(self.client)
            except OSError as error:
                self.failures[f"{case.kind}: {error!r}"] += 1
                continue
            self.seconds[case.kind].append(time.monotonic() - began)
            if answer.status != case.status:
                self.failures[f"{case.kind}: {answer.status} for {case.status}: {answer.content}"] += 1
            elif case.status == 200 and stable(answer.content) != self.expected[number]:
                self.failures[f"{case.kind}: the answer differs from an earlier one"] += 1

    def summary(self) -> dict[str, Any]:
        """Returns counts, failures and percentiles of the latencies in milliseconds."""
        kinds = {}
        for kind, seconds in sorted(self.seconds.items()):
            ordered = sorted(seconds)
            places = {"50": 0.5, "90": 0.9, "99": 0.99, "100": 1.0}
            percentiles = {
                name: round(1000 * ordered[min(len(ordered) - 1, int(place * len(ordered)))], 1)
                for name, place in places.items()
            }
            kinds[kind] = {"requests": len(ordered), "milliseconds": percentiles}
        return {"kinds": kinds, "failures": dict(self.failures)}


def main(port: int, seconds: float = 60, clients: int = 8) -> None:
    """Runs the clients and prints a summary."""
    load = Load(Client(port, timeout=120))
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=load.ask, args=(seed, end)) for seed in range(clients)]
    print("begun", flush=True)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(load.summary()), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
