"""An HTTP server for exported models: `coref serve DIR`.

It speaks TensorFlow Serving's REST API, so that clients of TensorFlow Serving work with it.
"""
