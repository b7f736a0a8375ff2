"""Training on several devices or machines."""

import json
import os

import tensorflow as tf

from coref_tf.support.errors import CorefError


def make_strategy(name: str | None) -> tf.distribute.Strategy | None:
    """The tf.distribute strategy "mirrored" (this machine's devices) or "multi_worker" (TF_CONFIG's machines)."""
    if name is None:
        return None
    if name == "mirrored":
        return tf.distribute.MirroredStrategy()
    try:
        cluster = json.loads(os.environ.get("TF_CONFIG", ""))["cluster"]["worker"]
    except (ValueError, KeyError, TypeError):
        raise CorefError(
            'TF_CONFIG must say which machines train, as in {"cluster": {"worker": ["host1:1234", "host2:1234"]},'
            f' "task": {{"type": "worker", "index": 0}}}}. Received: {os.environ.get("TF_CONFIG")!r}'
        ) from None
    if len(cluster) < 2:
        raise CorefError(f"TF_CONFIG names {len(cluster)} worker; expected two or more for multi_worker")
    return tf.distribute.MultiWorkerMirroredStrategy()
