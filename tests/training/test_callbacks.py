"""Messages during training."""

import contextlib
import logging
import time

import numpy as np
import tensorflow as tf

from coref_tf.training.callbacks import slow_callbacks_allowed


def test_keras_does_not_advise_to_check_callbacks():
    class Slow(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            time.sleep(0.05)

    messages = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    tf.get_logger().addHandler(handler)
    try:
        for context in (contextlib.nullcontext(), slow_callbacks_allowed()):
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse", run_eagerly=True)
            with context:
                model.fit(np.ones([6, 1]), np.ones(6), batch_size=1, callbacks=[Slow()], verbose=0)
    finally:
        tf.get_logger().removeHandler(handler)
    assert len(messages) == 1 and "is slow compared to the batch time" in messages[0]
