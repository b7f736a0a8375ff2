"""Measures fastcoref, in a Python that has it installed: python fastcoref_row.py WORDS [DOCUMENTS]

The model has random weights and the size of the published one, and reads random word pieces. The time is that from
pieces to clusters. Unlike the time of our model, it excludes splitting words into pieces. The script imports nothing
from this project, and only the model from fastcoref: `pip install --no-deps fastcoref` next to torch and a version of
transformers below 5 is enough.
"""

import importlib.util
import json
import sys
import time
from types import ModuleType

# The average number of word pieces of a word.
PIECES_PER_WORD = 1.25
REPEATS = 5
SECONDS = 12
# The configuration of biu-nlp/f-coref, a distilled RoBERTa.
HEAD = {
    "max_segment_len": 512,
    "max_span_length": 30,
    "top_lambda": 0.25,
    "ffnn_size": 1024,
    "dropout_prob": 0.3,
}
ENCODER = {
    "vocab_size": 50265,
    "num_hidden_layers": 6,
    "max_position_embeddings": 514,
    "type_vocab_size": 1,
    "layer_norm_eps": 1e-5,
}


def main(num_words: int, num_documents: int = 1) -> None:
    """Prints the row as JSON."""
    import torch

    without_its_readers()
    from fastcoref.coref_models.modeling_fcoref import FCorefModel
    from fastcoref.utilities.util import create_clusters, create_mention_to_antecedent
    from transformers import RobertaConfig

    torch.manual_seed(0)
    model = FCorefModel(RobertaConfig(**ENCODER, coref_head=HEAD)).eval()
    batch = made_up(torch, int(num_words * PIECES_PER_WORD))

    def predict() -> None:
        for _ in range(num_documents):
            with torch.no_grad():
                starts, ends, _, scores = (tensor.numpy() for tensor in model(batch, return_all_outputs=True))
            create_clusters(create_mention_to_antecedent(starts, ends, scores)[1])

    predict()
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < SECONDS:
        began = time.perf_counter()
        predict()
        times.append(time.perf_counter() - began)
    seconds = min(times)
    speed = num_words * num_documents / seconds
    print(json.dumps({"seconds": seconds, "words_per_second": speed, "peak_rss_mb": peak_mb()}))


def without_its_readers() -> None:
    """Makes the modules of fastcoref importable without spaCy and datasets, which it imports to read texts."""
    found = importlib.util.find_spec("fastcoref")
    if found is None:
        raise ModuleNotFoundError("No module named 'fastcoref'")
    sys.modules["fastcoref"] = importlib.util.module_from_spec(found)


def made_up(torch: ModuleType, num_pieces: int) -> dict:
    """Creates random pieces in full segments and a remainder, like fastcoref's collator."""
    length = HEAD["max_segment_len"]
    ids = torch.randint(5, ENCODER["vocab_size"], [1, num_pieces])
    full = num_pieces // length * length or num_pieces
    left = ids[:, full:]
    whole = ids[:, :full].reshape(1, -1, min(length, num_pieces))
    some = left.shape[1] > 0
    leftovers = {"input_ids": left, "attention_mask": torch.ones_like(left)} if some else None
    leftovers = leftovers or {"input_ids": [], "attention_mask": []}
    return {"input_ids": whole, "attention_mask": torch.ones_like(whole), "leftovers": leftovers}


def peak_mb() -> float:
    """Returns the peak memory of this process."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) / 1024


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
