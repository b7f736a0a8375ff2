"""Training on several devices or machines."""

import json
import os

import tensorflow as tf

from coref_tf.features.dataset import TrainingDocuments
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


def make_dataset(
    documents: TrainingDocuments, step: int, strategy: tf.distribute.Strategy
) -> tf.data.Dataset:
    """The training input from a step on. Of n replicas, each reads every n-th document."""
    if strategy.num_replicas_in_sync == 1:
        return documents.dataset(step)
    return strategy.distribute_datasets_from_function(
        lambda context: documents.dataset(step).shard(context.num_input_pipelines, context.input_pipeline_id)
    )


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process writes checkpoints and reports; true unless it is another worker of several."""
    resolver = strategy.cluster_resolver
    return resolver is None or resolver.task_type in (None, "chief") or resolver.task_id == 0


def no_writer() -> tf.summary.SummaryWriter:
    """A summary writer that writes nothing."""
    return tf.summary.create_noop_writer()
