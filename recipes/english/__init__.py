"""The recipe of `english` and `english-fast`: `make model` runs the Makefile and experiments.conf of this folder."""
