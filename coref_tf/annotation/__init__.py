"""Correct what a model found, on a page: `coref serve --annotate FOLDER`.

`folder` keeps annotations and drafts beside the texts, `suggestions` predicts and ranks them, `session` answers the
requests of the page, and `routes` are its paths. The scripts are the page's.
"""
