"""An HTTP server for one or more models: `coref serve MODEL ...`.

A request passes through these modules in order: `listener` accepts the connection, `routes` and `handlers` collect the
body, `requests` parses it, `workers` schedules it, and `answers` runs the model and encodes the response.
"""
