"""The results of a reproduction so far, for its report."""

from typing import Any

from coref_tf.support.environment import ROOT
from paper import published
from paper.plan import Plan
from paper.steps import Steps


class Findings:
    """The results of the steps that are done, and the reasons why others are missing.

    Args:
        plan: The plan.
        steps: The records of its steps, and the failures of this run.
        quick: Whether the models are those of --quick.
    """

    def __init__(self, plan: Plan, steps: Steps, quick: bool):
        self.plan, self.steps, self.quick = plan, steps, quick
        self.facts = steps.figures("section7")
        counts = {name: of_set["documents"] for name, of_set in (self.facts or {}).items()}
        self.comparable = counts == published.ONTONOTES_DOCUMENTS and not quick
        self.published = "published" if self.comparable else "published (OntoNotes English)"

    def figures(self, step: str) -> Any:
        """Returns the figures of a step; None if it is not done, or has none."""
        return self.steps.figures(step)

    def state(self, name: str) -> str:
        """Returns the state of a step in one or two words."""
        record = self.steps.record(name)
        if name in self.steps.failures:
            return "failed"
        if record and record["done"]:
            return "done"
        if self.plan.steps[name].impossible:
            return "skipped"
        return "stopped" if record else "not run"

    def missing(self, part: str) -> str:
        """Explains why a part is incomplete; empty if it is complete."""
        reasons = {
            "failed": lambda name: f"failed, {self.portable(self.steps.failures[name])}",
            "skipped": lambda name: self.plan.steps[name].impossible,
            "stopped": lambda name: "not finished yet",
            "not run": lambda name: "not run yet",
        }
        states = {name: self.state(name) for name in self.plan.parts[part]}
        return "\n".join(
            f"- {name}: {reasons[state](name)}." for name, state in states.items() if state != "done"
        )

    def portable(self, message: str) -> str:
        """Returns a message with paths relative to the output folder or the checkout."""
        return message.replace(f"{self.plan.folder}/", "").replace(f"{ROOT}/", "")
