"""The encoder of word pieces has the states and gradients that the transformers library computes."""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from small_encoder import small_encoder

from coref_tf.encoder.context_encoder import ContextEncoder, _product, relative_buckets
from coref_tf.encoder.context_words import load_context_words
from coref_tf.encoder.encoder_config import KINDS, EncoderConfig
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.encoder.encoder_import import PackageTensors, encoder_config
from coref_tf.encoder.stored_tensor import StoredTensor
from coref_tf.ops.int8 import unpack_kernel

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PIECES = ["<pad>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"p{n}" for n in range(19))]
SIGNATURE = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)]


def load_words(config):
    """Returns the layer with the weights of the encoder file."""
    return load_context_words(config, EncoderFile(config.encoder))


@pytest.fixture(scope="module")
def all_figures():
    """The stored figures of all kinds of encoders."""
    with np.load(FIXTURES / "encoder_figures.npz") as file:
        return dict(file)


def figures_of(all_figures, kind):
    """Returns the figures of one kind of encoder."""
    return {
        name.removeprefix(f"{kind}/"): all_figures[name]
        for name in all_figures
        if name.startswith(f"{kind}/")
    }


def config_of(figures):
    return encoder_config(json.loads(str(figures["settings"])), PIECES, len(PIECES))


def mapped(figures, folder, config):
    """Returns weights or gradients under our names."""
    found = {n.removeprefix(folder): v for n, v in figures.items() if n.startswith(folder)}
    tensors = PackageTensors(found, config)
    tensors.check("figures")
    return {name: tensors(name) for name in config.tensor_shapes()}


def check_figures(figures):
    """Checks the states of every layer within 1e-4, and the gradients within 1e-3 of the largest one."""
    config = config_of(figures)
    encoder = ContextEncoder(config)
    encoder.assign(mapped(figures, "weight/", config))
    encoder.trainable = True
    inside = np.arange(figures["windows"].shape[1]) < figures["lengths"][:, None]

    @tf.function(input_signature=SIGNATURE, autograph=False)
    def run(windows, lengths):
        with tf.GradientTape() as tape:
            tape.watch(list(encoder.tensors.values()))
            states = encoder(windows, lengths)
            loss = tf.reduce_sum(tf.stack(states) * figures["probe"] * inside[:, :, None].astype(np.float32))
        gradients = tape.gradient(loss, encoder.tensors)
        return states, {name: tf.convert_to_tensor(gradient) for name, gradient in gradients.items()}

    states, gradients = run(figures["windows"], figures["lengths"])
    assert len(states) == config.num_layers + 1
    for state, expected in zip(states, figures["states"], strict=True):
        np.testing.assert_allclose(state[inside], expected[inside], atol=1e-4, rtol=0)
    for name, expected in mapped(figures, "gradient/", config).items():
        np.testing.assert_allclose(
            gradients[name], expected, atol=1e-3 * np.abs(expected).max(), err_msg=name
        )


@pytest.mark.parametrize("kind", KINDS)
def test_states_and_gradients_equal_the_stored_figures(all_figures, kind):
    check_figures(figures_of(all_figures, kind))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_states_and_gradients_equal_those_of_the_library(kind):
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason=f"needs {name}, which is not installed here: pip install {name}")
    sys.path.insert(0, str(FIXTURES))
    import encoder_figures

    check_figures(encoder_figures.figures(kind, seed=np.random.default_rng().integers(1 << 31)))


def test_relative_buckets_at_every_distance(all_figures):
    np.testing.assert_array_equal(relative_buckets(all_figures["distances"], 32, 128), all_figures["buckets"])


@pytest.mark.parametrize("kind", KINDS)
def test_windows_are_independent_of_each_other_and_of_padding(all_figures, kind):
    figures = figures_of(all_figures, kind)
    config = config_of(figures)
    encoder = ContextEncoder(config)
    encoder.assign(mapped(figures, "weight/", config))
    together = encoder(figures["windows"], figures["lengths"])[-1]
    for window, pieces, length in zip(together, figures["windows"], figures["lengths"], strict=True):
        alone = encoder(pieces[None, :length], [length])[-1][0]
        np.testing.assert_allclose(window[:length], alone, atol=1e-5)
        other = np.concatenate([pieces[:length], np.full(20 - length, 7)])
        np.testing.assert_allclose(encoder(other[None], [length])[-1][0, :length], alone, atol=1e-5)


def test_lower_layers_do_not_depend_on_upper_layers(all_figures):
    figures = figures_of(all_figures, "mpnet")
    config = config_of(figures)
    weights = mapped(figures, "weight/", config)
    states = []
    for num_layers in (0, 1, 2):
        encoder = ContextEncoder(config, num_layers)
        encoder.assign(weights)
        assert set(encoder.tensors) == set(config.tensor_shapes(num_layers))
        states.append(encoder(figures["windows"], figures["lengths"]))
    assert [len(some) for some in states] == [1, 2, 3]
    for some in states[:2]:
        for state, full in zip(some, states[2], strict=False):
            np.testing.assert_array_equal(state, full)


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_reduced_precision_is_decoded_in_the_graph_as_from_a_file(all_figures, dtype):
    figures = figures_of(all_figures, "mpnet")
    config = config_of(figures)
    encoder = ContextEncoder(config)
    encoder.assign(mapped(figures, "weight/", config))
    smaller = encoder.kept_as(dtype)
    assert smaller.kept_as(dtype).tensors["embeddings/words"].dtype.name == dtype
    assert {v.dtype.name for v in smaller.variables if len(v.shape) == 2 and 1 not in v.shape} == {dtype}
    stored = {
        name: StoredTensor.encode(name, v.numpy(), dtype).decode() for name, v in encoder.tensors.items()
    }
    encoder.assign(stored)
    for ours, expected in zip(*(e(figures["windows"]) for e in (smaller, encoder)), strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-5)
    for kept in ({"kept": dtype}, {"kept_words": dtype}):
        with pytest.raises(ValueError, match="must be float32, and products not int8, if layers are tuned"):
            ContextEncoder(config, **kept)


def rounded(values):
    return tf.cast(tf.cast(values, tf.bfloat16), tf.float32)


def test_bfloat16_products_are_those_of_rounded_numbers():
    generator = np.random.default_rng(0)
    values, kernel, bias = (tf.constant(generator.normal(size=s), tf.float32) for s in ((9, 64), (64, 7), 7))
    found = _product(values, tf.cast(kernel, tf.bfloat16), bias)
    expected = tf.matmul(rounded(values), rounded(kernel))
    np.testing.assert_allclose(found - bias, expected, rtol=2**-7, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_states_with_products_in_bfloat16(all_figures, kind):
    figures = figures_of(all_figures, kind)
    config = config_of(figures)
    encoder = ContextEncoder(config, tuned_layers=0, products="bfloat16")
    encoder.assign(mapped(figures, "weight/", config))
    assert {value.dtype.name for name, value in encoder.decoded_weights().items() if "kernel" in name} == {
        "bfloat16"
    }
    smaller = encoder.kept_as("float16")
    assert smaller.products == "bfloat16"
    inside = np.arange(figures["windows"].shape[1]) < figures["lengths"][:, None]
    for each in (encoder, smaller):
        states = each(figures["windows"], figures["lengths"])
        off = [np.abs(s - e)[inside].mean() for s, e in zip(states, figures["states"], strict=True)]
        assert off[0] < 1e-3, "the embeddings must not change"
        assert 1e-4 < off[-1] < 0.03


@pytest.mark.parametrize("kind", KINDS)
def test_states_with_products_in_int8(all_figures, kind):
    figures = figures_of(all_figures, kind)
    config = config_of(figures)
    encoder = ContextEncoder(config, tuned_layers=0, products="int8")
    encoder.assign(mapped(figures, "weight/", config))
    kernels = [name for name in encoder.tensors if name.endswith("kernel")]
    assert len(kernels) == 4 * config.num_layers
    assert all(encoder.tensors[name].panels.dtype == tf.int8 for name in kernels)
    assert not [v.name for v in encoder.variables if "kernel" in v.name and len(v.shape) == 2], (
        "there must be no copy in float32"
    )
    inside = np.arange(figures["windows"].shape[1]) < figures["lengths"][:, None]
    for each in (encoder, encoder.kept_as("int8")):
        assert each.products == "int8"
        states = each(figures["windows"], figures["lengths"])
        off = [np.abs(s - e)[inside].mean() for s, e in zip(states, figures["states"], strict=True)]
        assert off[0] < 0.02
        assert 1e-4 < off[-1] < 0.05
    with pytest.raises(ValueError, match="products not int8, if layers are tuned"):
        ContextEncoder(config, products="int8")


def test_int8_products_use_the_weights_of_an_int8_file_unchanged(tmp_path):
    settings = small_encoder(tmp_path / "small.h5", dtype="int8")
    encoder = load_words(dataclasses.replace(settings, products="int8")).encoder
    plain = load_words(dataclasses.replace(settings, products="float32")).encoder
    for name, kernel in encoder.tensors.items():
        if name.endswith("kernel"):
            depth, units = plain.tensors[name].shape
            decoded = unpack_kernel(kernel.panels, depth, units).numpy() * kernel.scales.numpy()
            np.testing.assert_array_equal(decoded, plain.tensors[name])


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_a_frozen_encoder_keeps_the_word_embeddings_in_the_file_s_dtype(tmp_path, dtype):
    settings = dataclasses.replace(small_encoder(tmp_path / "small.h5", dtype=dtype), products="float32")
    frozen = load_words(settings).encoder
    tuned = load_words(dataclasses.replace(settings, tuned_layers=1)).encoder
    for encoder, kept in ((frozen, dtype), (tuned, "float32")):
        assert encoder.tensors["embeddings/words"].dtype.name == kept
        assert encoder.tensors["block_1/attention/kernel"].dtype.name == "float32"
    windows = np.random.default_rng(0).integers(0, frozen.config.vocabulary_size, [2, 9])
    np.testing.assert_array_equal(frozen(windows)[0], tuned(windows)[0])
    for ours, expected in zip(frozen(windows), tuned(windows), strict=True):
        np.testing.assert_allclose(ours, expected, atol=1e-5)  # a frozen encoder computes attention in one op
    for ours, expected in zip(frozen.kept_as("float16")(windows), frozen(windows), strict=True):
        np.testing.assert_allclose(ours, expected, atol=0.02)


def test_config_round_trip_and_no_windows():
    config = EncoderConfig("bert", 40, 12, 2, 3, 20, 32, cls_id=3, sep_id=4, unk_id=2)
    encoder = ContextEncoder(config, num_layers=1, products="bfloat16", name="encoder")
    again = ContextEncoder.from_config(json.loads(json.dumps(encoder.get_config())))
    assert again.get_config() == encoder.get_config()
    assert {v.name: v.shape for v in again.weights} == {v.name: v.shape for v in encoder.weights}
    states = encoder(tf.zeros([0, 5], tf.int32), tf.zeros([0], tf.int32))
    assert [state.shape for state in states] == [(0, 5, 12)] * 2


def test_refuses_other_weights_and_layers():
    config = EncoderConfig("bert", 40, 12, 2, 3, 20, 32, cls_id=3, sep_id=4, unk_id=2)
    with pytest.raises(ValueError, match=r"num_layers must be 0 to 2.*Received: 3"):
        ContextEncoder(config, num_layers=3)
    encoder = ContextEncoder(config, num_layers=0)
    weights = {name: np.zeros(shape) for name, shape in config.tensor_shapes().items()}
    with pytest.raises(ValueError, match="embeddings/words must have shape"):
        encoder.assign(weights | {"embeddings/words": np.zeros([3, 12])})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"at most 32 pieces\. Received: 33"):
        encoder(tf.zeros([1, 33], tf.int32), [5])
    del weights["embeddings/segment"]
    with pytest.raises(ValueError, match="tensors must have embeddings/segment"):
        encoder.assign(weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "gpt"}, "kind must be one of"),
        ({"num_heads": 5}, "multiple of num_heads"),
        ({"hidden_size": "12"}, "hidden_size must be of type int"),
        ({"hidden_size": 1 << 40}, "hidden_size must be 1 to"),
        ({"num_layers": 1000}, "num_layers must be 0 to"),
        ({"lowercase": 1}, "lowercase must be of type bool"),
        ({"cls_id": 40}, "cls_id must be the id of one of 40 pieces"),
        ({"layer_norm_epsilon": 0}, "layer_norm_epsilon"),
        ({"relative_buckets": 32}, "relative_buckets require kind mpnet"),
        ({"kind": "mpnet", "relative_buckets": 6}, "multiple of 4"),
        ({"surprise": 1}, "unknown: .'surprise'."),
    ],
)
def test_settings_are_checked(change, message):
    settings = EncoderConfig("bert", 40, 12, 2, 3, 20, 32, cls_id=3, sep_id=4, unk_id=2).to_json()
    assert EncoderConfig.from_json(settings).to_json() == settings
    with pytest.raises(ValueError, match=message):
        EncoderConfig.from_json(settings | change)
