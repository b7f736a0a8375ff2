"""An experiments file with everything that `reproduce` needs, whose models are so small that they train in seconds."""

from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[1] / "fixtures" / "reference"

CONF = """
include "{reference}/experiments.conf"
best = ${{small}} {{
  train_path = {folder}/docs.jsonlines
  eval_path = {folder}/docs.jsonlines
  conll_eval_path = {folder}/docs.jsonlines
  test_path = {folder}/test.jsonlines
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
k125 = ${{best}} {{ max_antecedents = 4 }}
k500 = ${{best}} {{ max_antecedents = 16 }}
lambda02 = ${{best}} {{ mention_ratio = 0.2 }}
lambda08 = ${{best}} {{ mention_ratio = 0.8 }}
width5 = ${{best}} {{ max_mention_width = 2 }}
width20 = ${{best}} {{ max_mention_width = 8 }}
contextual = ${{best}} {{ context = {{ encoder = {folder}/encoders/small.h5, layers = [1] }} }}
"""


def write_tiny_experiments(folder, epochs=1, test_set=True):
    """Puts the reference documents and an experiments file into a folder; the file's path."""
    documents = (REFERENCE / "docs.jsonlines").read_text()
    (folder / "docs.jsonlines").write_text(documents)
    (folder / "test.jsonlines").write_text("".join(documents.splitlines(True)[1:]) if test_set else documents)
    path = folder / "experiments.conf"
    path.write_text(CONF.format(reference=REFERENCE, folder=folder, epochs=epochs))
    return path
