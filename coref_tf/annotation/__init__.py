"""A web page for correcting predictions: `coref serve --annotate FOLDER`.

`folder` stores annotations and drafts next to the texts, `suggestions` predicts and ranks the texts, `session` answers
the requests of the page, and `routes` defines its URLs. The scripts belong to the page.
"""
