"""Distributed training on several devices or machines."""

import json
import os

import tensorflow as tf

from coref_tf.features.dataset import TrainingDocuments
from coref_tf.support.errors import CorefError


def make_strategy(name: str | None) -> tf.distribute.Strategy | None:
    """Creates the strategy "mirrored" (all devices of this machine) or "multi_worker" (the machines in TF_CONFIG)."""
    if name is None:
        return None
    if name == "mirrored":
        return tf.distribute.MirroredStrategy()
    try:
        cluster = json.loads(os.environ.get("TF_CONFIG", ""))["cluster"]["worker"]
    except (ValueError, KeyError, TypeError):
        raise CorefError(
            'TF_CONFIG must list the machines to train on, as in {"cluster": {"worker": ["host1:1234", "host2:1234"]},'
            f' "task": {{"type": "worker", "index": 0}}}}. Received: {os.environ.get("TF_CONFIG")!r}'
        ) from None
    if len(cluster) < 2:
        raise CorefError(f"TF_CONFIG lists {len(cluster)} worker; expected two or more for multi_worker")
    return tf.distribute.MultiWorkerMirroredStrategy()


def make_dataset(
    documents: TrainingDocuments, step: int, strategy: tf.distribute.Strategy
) -> tf.data.Dataset:
    """Creates the training dataset, starting at a given step. With n replicas, each reads every n-th document."""
    if strategy.num_replicas_in_sync == 1:
        return documents.dataset(step)
    return strategy.distribute_datasets_from_function(
        lambda context: documents.dataset(step).shard(context.num_input_pipelines, context.input_pipeline_id)
    )


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Returns whether this process writes checkpoints and reports; false only for the other workers of several."""
    resolver = strategy.cluster_resolver
    return resolver is None or resolver.task_type in (None, "chief") or resolver.task_id == 0


def no_writer() -> tf.summary.SummaryWriter:
    """Returns a summary writer that discards everything."""
    return tf.summary.create_noop_writer()
