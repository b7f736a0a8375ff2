"""An HTTP server for one or more models: `coref serve MODEL ...`.

A request passes these modules in order: `listener` accepts the connection, `routes` and `handlers` collect the body,
`requests` reads it, `workers` decides when it is computed, and `answers` runs the model and encodes the response.
"""
