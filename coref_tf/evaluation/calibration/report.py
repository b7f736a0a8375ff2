"""`coref analyse calibration`: fits probabilities on one set of documents and measures them on another."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coref_tf.documents import Document, read_documents
from coref_tf.evaluation import figures
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.fit import fit, log_likelihood
from coref_tf.evaluation.calibration.reliability import Reliability, chance_error, reliability_of
from coref_tf.models.calibration import Calibration
from coref_tf.models.trained_model import TrainedModel, describe_models
from coref_tf.support.files import write_json
from coref_tf.support.progress import counted

if TYPE_CHECKING:
    from coref_tf.inference.predictor import Predictor

GROUPS = {"decisions": False, "links": True}  # name -> whether to include only spans that link
WHEN = ("before", "after")
HEADER = ("group", "when", "from", "to", "decisions", "confidence %", "right %")


def choose_sets(fitting: Path, measuring: Path) -> tuple[list[Document], list[Document]]:
    """Reads the documents to fit on and to measure on; if both are the same file, each gets every other one."""
    documents = list(read_documents(fitting))
    if fitting.resolve() == measuring.resolve():
        return documents[::2], documents[1::2]
    return documents, list(read_documents(measuring))


def decide(predictor: "Predictor", documents: Sequence[Document]) -> Decisions:
    """Returns the model's decisions for all documents."""
    predictions = counted(predictor.predict_all(documents, details=True))
    return Decisions.joined([Decisions.from_prediction(prediction) for prediction in predictions])


def measure(decisions: Decisions, calibration: Calibration) -> dict[tuple[str, str], Reliability]:
    """Measures the reliability of all decisions and of links, before and after the fit."""
    fits = dict(zip(WHEN, (Calibration(), calibration), strict=True))
    return {
        (group, when): reliability_of(decisions, fits[when], links_only)
        for group, links_only in GROUPS.items()
        for when in WHEN
    }


def table(measured: dict[tuple[str, str], Reliability]) -> list[tuple]:
    """Returns the rows of the CSV file, under HEADER: one for each non-empty bin."""
    rows = []
    for (group, when), (counts, confidence, accuracy) in measured.items():
        for number, count in enumerate(counts.tolist()):
            if count:
                ends = number / len(counts), (number + 1) / len(counts)
                shares = 100 * float(confidence[number]), 100 * float(accuracy[number])
                rows.append((group, when, *ends, count, *shares))
    return rows


def draw(path: Path, title: str, before: Reliability, after: Reliability) -> None:
    """Draws the reliability diagram: the fraction of links that are correct, by their probability."""
    figure, axes = figures.new_plot(title)
    axes.plot([0, 1], [0, 1], color=figures.GREY, linestyle="--", linewidth=1.2, label="perfect calibration")
    for measured, colour, marker, when in (
        (before, figures.RED, "s", "before"),
        (after, figures.BLUE, "o", "after"),
    ):
        full = measured.counts > 0
        axes.plot(
            measured.confidence[full], measured.accuracy[full], color=colour, marker=marker, linewidth=1.5,
            label=f"{when}: error {measured.error:.3f}",
        )  # fmt: skip
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="Probability of the place", ylabel="Fraction that is right")
    axes.legend(loc="upper left", frameon=False)
    figures.save_plot(path, figure)


def write_calibration(model: TrainedModel, fitting: Path, measuring: Path, folder: Path) -> None:
    """Fits and measures the calibration, plots and writes the results, and prints them."""
    fit_on, measure_on = choose_sets(fitting, measuring)
    # Imported only after everything else has been checked, because TensorFlow takes seconds to import.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.from_models([model])
    print(describe_models([model]), flush=True)
    known = decide(predictor, fit_on)
    calibration = fit(known)
    unseen = decide(predictor, measure_on)
    measured = measure(unseen, calibration)
    folder.mkdir(parents=True, exist_ok=True)
    figures.write_table(folder / "calibration.csv", HEADER, table(measured))
    title = f"Reliability of links, {model.name} on {measuring.name}"
    draw(folder / "calibration.png", title, measured["links", "before"], measured["links", "after"])
    found = summary(calibration, unseen, measured)
    write_json(folder / "calibration.json", found)
    print(f"fitted on {len(fit_on)} documents of {fitting}, measured on {len(measure_on)} of {measuring}")
    print(f"temperature {calibration.temperature:.3f}, offset of the dummy {calibration.offset:+.3f}")
    errors, chance = found["expected_calibration_error"], found["by_chance_alone"]
    figures.print_table(
        ("expected calibration error", *WHEN, "by chance alone"),
        [
            (group, *(f"{errors[group][when]:.4f}" for when in WHEN), f"{chance[group]:.4f}")
            for group in GROUPS
        ],
    )
    print(f"wrote {folder / 'calibration.json'}, .csv and .png")


def summary(
    calibration: Calibration, unseen: Decisions, measured: dict[tuple[str, str], Reliability]
) -> dict[str, Any]:
    """Returns all results as JSON values."""
    likelihood = {
        "before": log_likelihood(unseen, Calibration()),
        "after": log_likelihood(unseen, calibration),
    }
    errors = {group: {when: measured[group, when].error for when in WHEN} for group in GROUPS}
    chance = {group: chance_error(unseen, calibration, links) for group, links in GROUPS.items()}
    return {
        **calibration._asdict(),
        "expected_calibration_error": errors,
        "by_chance_alone": chance,
        "log_likelihood": likelihood,
    }
