"""A plan of tiny experiments, and its steps."""

import pytest
from tiny_experiments import write_tiny_experiments

from paper.plan import Plan, make_plan
from paper.steps import Steps


@pytest.fixture
def plan(tmp_path) -> Plan:
    """The plan of the whole reproduction; nothing has been run."""
    return make_plan(tmp_path / "out", write_tiny_experiments(tmp_path), quick=False)


@pytest.fixture
def steps(plan) -> Steps:
    """The steps of the plan, none of which is done."""
    return Steps(plan.folder / "steps")
