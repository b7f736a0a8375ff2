"""Errors for the authors' checkpoints that don't match the experiment; test_predict.py tests one that does."""

import pytest
from random_documents import REFERENCE

from coref_tf.config import load_experiment
from coref_tf.models.authors import read_authors_checkpoint
from coref_tf.support.errors import CorefError


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lstm_size = 6", "lstm_size = 8", "fw_cell/output_weights has shape [30, 18]; experiment small expects"),
        ("head_ffnn_depth = 0", "head_ffnn_depth = 2", "expected antecedents = nearest and head_ffnn_depth = 0"),
        ("filter_widths = [3, 4, 5]", "filter_widths = [3, 4, 5, 6]", "lacks variable conv_3/w"),
        ("antecedents = nearest", "antecedents = coarse", "expected antecedents = nearest"),
    ],
)  # fmt: skip
def test_the_error_names_what_does_not_match(tmp_path, old, new, message):
    conf = tmp_path / "experiments.conf"
    conf.write_text((REFERENCE / "experiments.conf").read_text().replace(old, new))
    with pytest.raises(CorefError) as error:
        read_authors_checkpoint(str(REFERENCE / "model.max.ckpt"), load_experiment("small", conf), 43)
    assert message in str(error.value)
