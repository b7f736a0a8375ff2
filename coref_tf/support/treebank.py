"""Tokens that the Penn Treebank escapes, as ordinary text writes them."""

PLAIN_TOKENS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "`": "'",
    "/.": ".",
    "/?": "?",
}


def plain_word(word: str) -> str:
    r"""Returns the word as ordinary text writes it, without -LRB-, `` or \/."""
    return PLAIN_TOKENS.get(word) or word.replace("\\/", "/").replace("\\*", "*")
