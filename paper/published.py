"""The paper's results on OntoNotes English (CoNLL-2012); those of figures 3 and 4 are next to their code."""

# The numbers of documents, which identify OntoNotes English.
ONTONOTES_DOCUMENTS = {"train": 2802, "dev": 343, "test": 348}

# Sections 7 and 8.1, for the training documents. The mentions missed are those of Clark and Manning (2016).
TRAINING_FACTS = {
    "mean_words": 454,
    "longest_words": 4009,
    "wide_share": "less than 2%",
    "missed_share": "more than 9%",
}

# Table 1, test set: precision, recall and F1 of MUC, B-cubed and CEAF-phi4; their average F1.
MAIN_RESULTS = {
    "ensemble": (81.2, 73.6, 77.2, 72.3, 61.7, 66.6, 65.2, 60.2, 62.6, 68.8),
    "single": (78.4, 73.4, 75.8, 68.6, 61.8, 65.0, 62.7, 59.0, 60.8, 67.2),
}

# Tables 2 and 3, dev set: average F1.
DEV_RESULTS = {
    "ensemble": 69.0,
    "single": 67.7,
    "nofeatures": 63.9,
    "nolarge": 65.3,
    "nometa": 66.3,
    "noheads": 66.4,
    "nochar": 66.8,
    "nosmall": 66.9,
    "rules": 66.7,
    "oracle": 85.2,
}
