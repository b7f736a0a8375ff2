"""An HTTP server for exported models: `python -m coref_tf.serving DIR`.

It speaks TensorFlow Serving's REST API, so that clients of TensorFlow Serving work with it.
"""
