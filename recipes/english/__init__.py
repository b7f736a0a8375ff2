"""How `english` and `english-fast` are made: `make model` follows this folder's Makefile and experiments.conf."""
