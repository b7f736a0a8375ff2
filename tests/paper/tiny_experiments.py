"""An experiments file with everything that `reproduce` needs, whose models are so small that they train in seconds."""

from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[1] / "fixtures" / "reference"

CONF = """
include "{reference}/experiments.conf"
best = ${{small}} {{
  train_path = {folder}/docs.jsonlines
  eval_path = {folder}/docs.jsonlines
  conll_eval_path = {folder}/docs.jsonlines
  test_path = {folder}/docs.jsonlines
  char_vocab_path = {reference}/char_vocab.txt
  log_root = {folder}/logs
  embeddings = [${{large}}, ${{little}}]
  max_epochs = {epochs}
}}
large {{ path = {reference}/glove.txt, size = 12 }}
little {{ path = {reference}/turian.txt, size = 6 }}
best0 = ${{best}} {{ seed = 0 }}
best1 = ${{best}} {{ seed = 1 }}
best2 = ${{best}} {{ seed = 2 }}
best3 = ${{best}} {{ seed = 3 }}
best4 = ${{best}} {{ seed = 4 }}
nofeatures = ${{best}} {{ use_features = false }}
nometa = ${{best}} {{ use_metadata = false }}
noheads = ${{best}} {{ model_heads = false }}
nochar = ${{best}} {{ char_embedding_size = 0 }}
nolarge = ${{best}} {{ embeddings = [${{little}}] }}
nosmall = ${{best}} {{ embeddings = [${{large}}] }}
rules = ${{best}} {{ mentions = rules }}
oracle = ${{best}} {{ mentions = oracle }}
"""


def write_tiny_experiments(folder, epochs=1):
    """Writes the reference documents and an experiments file to a folder and returns the file's path."""
    (folder / "docs.jsonlines").write_bytes((REFERENCE / "docs.jsonlines").read_bytes())
    path = folder / "experiments.conf"
    path.write_text(CONF.format(reference=REFERENCE, folder=folder, epochs=epochs))
    return path
