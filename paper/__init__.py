"""The corpus, tables and figures of the paper: `python -m paper`, called by `make ontonotes` and `make reproduce`."""
