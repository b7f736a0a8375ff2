"""An HTTP server for models: `coref serve MODEL`.

It speaks TensorFlow Serving's REST API, so that clients of TensorFlow Serving work with it, and has a page to type
into.
"""
