"""The paper's corpus, tables and figures: `python -m paper`, which `make ontonotes` and `make reproduce` call."""
