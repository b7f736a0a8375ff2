"""The page's slider, which removes improbable links, in headless Chromium."""

import re

import numpy as np
import pytest
from fake_predictions import SETTINGS, fire, predicted, random_prediction

from coref_tf.decoding import best_antecedents, clusters_of, remove_improbable_links
from coref_tf.documents import Document
from coref_tf.page.data import page_data
from coref_tf.page.writer import open_page


def clusters_shown(page):
    members = page.locator("#clusters ol").first.locator(".members").all_inner_texts()
    return [re.sub(r"\s+", " ", text) for text in members]


def move_slider(page, least):
    """Moves the slider as a pointer does, and waits until the page has been redrawn."""
    page.locator("#dial").evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", least
    )
    page.evaluate("() => new Promise(requestAnimationFrame)")


def slider_text(page):
    return page.locator(".dial output").inner_text()


@pytest.fixture(scope="module")
def weak_page(tmp_path_factory):
    """Three documents: one in which the place of "it" has a probability of 39%, one without links, and `fire`."""
    made = fire()
    # The first and the last of these antecedents of "it", "the blaze" and "A fire in a factory", are in its cluster.
    made.output.antecedents.scores[5, 1:6] = [1.0, 0.6, 0.9, 0.8, 0.7]
    made.clusters = clusters_of(
        made.output.top_span_starts,
        made.output.top_span_ends,
        best_antecedents(made.output.antecedents.indices, made.output.antecedents.scores),
    )
    path = tmp_path_factory.mktemp("dial") / "weak.html"
    with open_page(path, "weak", SETTINGS) as write:
        write(made)
        write(predicted(Document("nw/second", [["She", "left", "."]]), [(0, 0)], [1.0], None, {}))
        write(fire())
    return path


def test_links_disappear_and_return_as_the_slider_moves(visit, weak_page):
    page = visit(weak_page)
    whole = ["A fire in a factory · the blaze · it"]
    assert clusters_shown(page) == whole and slider_text(page) == "0%, all 2 links"
    facts = page.locator("#facts").inner_text()
    move_slider(page, 60)
    assert (
        clusters_shown(page) == ["A fire in a factory · the blaze"]
        and slider_text(page) == "60%, 1 of 2 links"
    )
    assert page.locator('.mention[data-span="14-14"]').get_attribute("class") == "mention missed"
    move_slider(page, 100)
    assert (
        "No two spans" in page.locator("#clusters").inner_text() and slider_text(page) == "100%, 0 of 2 links"
    )
    assert "0 clusters" in page.locator("#facts").inner_text()
    move_slider(page, 0)
    assert clusters_shown(page) == whole and page.locator("#facts").inner_text() == facts


def test_removed_links_are_explained(visit, weak_page):
    page = visit(weak_page, "#1/14-14")
    assert "place probability 39%; mention 3 of 3 in cluster 1" in page.locator("#panel").inner_text()
    move_slider(page, 60)
    panel = re.sub(r"\s+", " ", page.locator("#panel").inner_text())  # still shows the same mention
    assert re.search(r"link removed The place probability of “it” is 39%, below the minimum of 60%", panel)
    assert re.search(r"→ no antecedent", panel)
    for other in ("0-4", "10-11"):
        kind = page.evaluate(
            "(key) => explain(app.doc, app.pinned, app.doc.span(...key.split('-').map(Number))).kind", other
        )
        assert kind == "link removed"


def test_the_threshold_is_kept_for_other_documents(visit, weak_page):
    page = visit(weak_page)
    move_slider(page, 60)
    page.evaluate("location.hash = '#2'")
    page.locator("#name", has_text="nw/second_0").wait_for()
    assert not page.locator(".dial").is_visible()  # the document has no links
    page.evaluate("location.hash = '#3'")
    page.locator("#name", has_text="nw/fire_0").wait_for()
    assert slider_text(page) == "60%, all 2 links" and page.locator("#dial").input_value() == "60"


def test_the_slider_works_with_keys_and_screen_readers(visit, weak_page):
    page = visit(weak_page)
    slider = page.get_by_role("slider", name="minimum probability")
    assert slider.get_attribute("aria-valuetext") == "0%"
    slider.focus()
    page.keyboard.press("End")
    page.locator(".dial output", has_text="100%").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator(".dial output", has_text="99%, 1 of 2 links").wait_for()
    assert slider.get_attribute("aria-valuetext") == "99%"
    assert page.get_by_role("status").inner_text() == "99%, 1 of 2 links"
    assert page.evaluate("document.activeElement.id") == "dial"


def test_the_page_has_the_clusters_of_python_at_every_threshold(visit, tmp_path):
    prediction, settings = random_prediction(300)
    data = page_data(prediction, settings)
    output = prediction.output
    best = best_antecedents(output.antecedents.indices, output.antecedents.scores)
    with open_page(tmp_path / "random.html", "random", settings) as write:
        write(prediction)
    page = visit(tmp_path / "random.html")
    counts = set()
    for least in (0.0, 0.3, 0.55, 0.8, 0.97, 1.0):
        left = remove_improbable_links(best, np.array(data["places"]), least)
        expected = clusters_of(output.top_span_starts, output.top_span_ends, left)
        spans = "app.doc.clusters.map((c) => c.map((n) => [app.doc.spans[n].start, app.doc.spans[n].end]))"
        found = page.evaluate(f"(least) => {{ app.doc.dial(least); return {spans}; }}", least)
        assert [[tuple(span) for span in cluster] for cluster in found] == expected
        counts.add(len(expected))
    assert len(counts) > 3


def test_the_slider_starts_at_the_threshold_of_the_prediction(visit, tmp_path):
    made = fire()
    made.min_probability = 0.5
    with open_page(tmp_path / "half.html", "half", SETTINGS) as write:
        write(made)
    page = visit(tmp_path / "half.html")
    assert slider_text(page) == "50%, all 2 links" and page.locator("#dial").input_value() == "50"
