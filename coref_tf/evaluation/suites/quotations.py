"""The quotations suite: who speaks each quotation, on documents with annotated speakers such as those of LitBank."""

import json
from collections.abc import Sequence

from coref_tf.documents.formats import read_documents
from coref_tf.documents.sources import decode_lines, open_source, refuse
from coref_tf.evaluation.suites.quotation_judge import GoldQuotation, Judgement, judge
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.quotations.attribution import find_speakers
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.table import Table

NOTE = (
    "right: most mentions of the predicted speaker belong to the gold speaker. named: the words that name the speaker"
    " are a mention of the gold speaker. A quotation that is not found counts as wrong. nearest name: a baseline that"
    " takes the capitalised gold mention nearest to the quotation."
)


def read_gold_quotations(path: str) -> dict[str, list[GoldQuotation]]:
    """Reads jsonlines with doc_key and quotations (first, last, speaker_mentions); returns them by document."""
    with open_source(path) as file:
        lines = decode_lines(file, path, refuse) or []
    gold = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            gold[record["doc_key"]] = [
                GoldQuotation(
                    int(each["first"]),
                    int(each["last"]),
                    frozenset((int(start), int(end)) for start, end in each["speaker_mentions"]),
                )
                for each in record["quotations"]
            ]
        except (ValueError, KeyError, TypeError):
            raise InputError(
                path,
                number,
                "not a record of quotations; expected doc_key and quotations with first, last and speaker_mentions",
            ) from None
    return gold


class QuotationsSuite(Suite):
    """Scores speakers with predicted clusters, gold clusters and the words alone, and the nearest-name baseline."""

    name = "quotations"
    title = "Quotations"
    argument = "DOCUMENTS,QUOTATIONS.jsonlines"
    summary = "who speaks each quotation"

    def __init__(self, argument: str):
        documents, comma, quotations = argument.partition(",")
        if not comma:
            raise CorefError(f"--suite quotations={argument}: expected quotations={self.argument}")
        self.source = argument
        gold = read_gold_quotations(quotations)
        self.documents = [document for document in read_documents(documents) if gold.get(document.doc_key)]
        self.gold = [gold[document.doc_key] for document in self.documents]
        if not self.documents:
            raise CorefError(f"{quotations}: has no quotations for any document of {documents}")

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Counts the quotations with the right speaker."""
        totals = dict.fromkeys(("model", "gold", "words"), Judgement(0, 0, 0, 0, 0))
        for document, gold, answer in zip(self.documents, self.gold, answers, strict=True):
            clusters = {"model": answer.clusters, "gold": document.clusters, "words": None}
            for name, known in clusters.items():
                totals[name] = totals[name].plus(judge(document, gold, find_speakers(document, known)))
        shown = {
            "model": "the model's clusters",
            "gold": "gold clusters",
            "words": "names and pronouns alone",
        }
        rows = [[shown[name], *(100 * share for share in total.shares())] for name, total in totals.items()]
        total = totals["model"]
        rows.append(["nearest name", None, 100 * total.nearest / max(total.quotations, 1), None])
        table = Table("", ["speakers by", "found", "right", "named"], rows)
        return SuiteResult(
            self.name,
            f"{self.title}: {self.summary}, {total.quotations:,} quotations",
            self.source,
            {name: total._asdict() for name, total in totals.items()},
            [table],
            [NOTE],
        )


SUITE = QuotationsSuite
