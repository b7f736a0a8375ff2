"""The appearance of the page in headless Chromium: themes, phones, long and unusual documents."""

import itertools
import re

import numpy as np
import pytest
from fake_predictions import SETTINGS, predicted, random_prediction
from typed_page import PHONE

from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.page.writer import open_page


def mention(page, start, end):
    return page.locator(f'.mention[data-span="{start}-{end}"]')


CONTRASTS = """() => {
  const probe = document.body.appendChild(document.createElement("span"));
  const colour = (value) => {
    probe.style.color = value;
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const contrast = (a, b) => {
    const [low, high] = [luminance(colour(a)), luminance(colour(b))].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const reddest = "color-mix(in srgb, var(--red) 88%, var(--paper))";
  const clusters = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => `--c${c}`);
  const pairs = ["--ink", "--faint", "--link", "--bad", "--good", ...clusters]
    .flatMap((name) => [[name, "var(--paper)"], [name, "var(--card)"]]);
  return [...pairs, ["--ink", reddest]].map(([name, under]) => [name, under, contrast(`var(${name})`, under)]);
}"""


def in_oklab(rgb):
    """Converts an sRGB colour to OKLab, where distances correspond to perceived differences."""
    share = np.asarray(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    axes = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]
    return np.array(axes) @ np.cbrt(np.array(cones) @ linear)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cluster_colours_can_be_told_apart(visit, fire_page, scheme):
    page = visit(fire_page, color_scheme=scheme)
    colours = page.evaluate(
        """() => Array.from({ length: COLOURS }, (_, number) => {
          const chip = document.body.appendChild(make("span", { class: `chip ${clusterClass(number)}` }));
          return getComputedStyle(chip).backgroundColor.match(/\\d+/g).map(Number);
        })"""
    )
    assert len(colours) == 8
    for one, other in itertools.combinations(colours, 2):
        assert np.linalg.norm(in_oklab(one) - in_oklab(other)) >= 0.1, (one, other)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_themes_have_enough_contrast(visit, fire_page, scheme):
    page = visit(fire_page, color_scheme=scheme)
    for one, other, contrast in page.evaluate(CONTRASTS):
        assert contrast >= 4.5, (one, other)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", paper)[0]) > 128) == (scheme == "light")
    # The switch goes from the system's theme to light and then dark, and the choice survives a reload.
    seen = []
    for _ in range(2):
        page.locator("#theme").click()
        seen.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(set(seen)) == 2 and paper in seen
    page.reload()
    assert page.locator("#theme").inner_text() == "Theme: dark"


def test_a_document_of_5000_words(visit, tmp_path):
    prediction, settings = random_prediction(5000)
    with open_page(tmp_path / "long.html", "long", settings) as write:
        write(prediction)
    page = visit(tmp_path / "long.html", **PHONE)
    assert page.locator("#text .w").count() == 5000
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    span = max(prediction.clusters, key=len)[-1]
    mention(page, *span).locator(".w").first.tap()
    place = prediction.top_spans.index(span)
    expected = prediction.output.top_span_mention_scores[place]
    assert page.locator(".mention-score").inner_text() == f"{expected:.2f}".replace("-", "−")
    assert page.locator("#text .same").count() == len(max(prediction.clusters, key=len))


def test_html_scripts_and_right_to_left_text_are_shown_as_text(visit, tmp_path):
    words = [
        "</script><script>window.hacked=1</script>",
        "<img src=x onerror=window.hacked=1>",
        "&lt;",
        "\"'",
        "e\u0301\u0323",
        "👩‍👩‍👧",
    ]
    document = Document("nw/<b>\"&'", [words, ["שלום", "עולם", "אמר", "הוא"], ["x" * 300]])
    spans = [(0, 1), (4, 4), (5, 5), (6, 7), (9, 9), (10, 10)]
    odd = predicted(document, spans, [1.0] * 6, lambda i, j: 1.0, {})
    with open_page(tmp_path / "odd.html", '<i>title</i> & "more"', SETTINGS) as write:
        write(odd)
        write(predicted(document_from_text("", "empty"), [], [], None, {}))
        write(predicted(document_from_text("One  two.\n\n\tThree ‏שלום", "raw"), [], [], None, {}))
    page = visit(tmp_path / "odd.html", **PHONE)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('#text img, #text script').length") == 0
    shown = page.evaluate("[...document.querySelectorAll('#text .w')].map((word) => word.textContent)")
    assert shown == list(document.words)
    assert page.locator("h1").inner_text() == '<i>title</i> & "more"'
    assert page.locator("#name").inner_text() == document.key
    direction = (
        "[...document.querySelectorAll('.sentences p')].map((line) => getComputedStyle(line).direction)"
    )
    assert page.evaluate(direction) == ["ltr", "rtl", "ltr"]
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    mention(page, 0, 1).locator(".w").first.tap()
    assert page.locator("#panel h3").inner_text() == " ".join(words[:2])
    page.evaluate("location.hash = '#2'")
    page.locator("text=This document has no words.").wait_for()
    page.evaluate("location.hash = '#3'")
    page.locator("#name", has_text="raw").wait_for()
    assert page.locator("#text").evaluate("(text) => text.textContent") == "One  two.\n\n\tThree ‏שלום"
