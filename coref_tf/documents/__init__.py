"""Documents in and out: CoNLL-2012, jsonlines and raw text."""
