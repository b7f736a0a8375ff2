"""The page in headless Chromium: its reactions to pointer, touch and keyboard, and its explanations."""

import re

import numpy as np
from fake_predictions import FIRE, SETTINGS, all_candidates, fire, predicted
from typed_page import PHONE

from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.page.writer import open_page


def mention(page, start, end):
    return page.locator(f'.mention[data-span="{start}-{end}"]')


def panel_text(page):
    return re.sub(r"\s+", " ", page.locator("#panel").inner_text())


def test_the_text_has_brackets_numbers_and_clusters(visit, fire_page):
    page = visit(fire_page)
    assert page.locator("#name").inner_text() == "nw/fire_0"
    assert mention(page, 0, 4).inner_text() == "1A fire in a factory"
    assert page.evaluate("getComputedStyle(document.querySelector('.mention'), '::before').content") == '"["'
    classes = {mention(page, *span).get_attribute("class") for span in FIRE.clusters[0][:3]}
    assert classes == {"mention c0 l0"}
    assert mention(page, 8, 8).get_attribute("class") == "mention missed"
    assert page.locator("#clusters ol").first.inner_text().split("\n") == [
        "1",
        "A fire in a factory\N{NO-BREAK SPACE}· the blaze\N{NO-BREAK SPACE}· it",
    ]


def test_pointing_at_a_mention_shows_its_numbers(visit, fire_page):
    page = visit(fire_page)
    assert "Point at a mention" in panel_text(page)
    mention(page, 10, 11).hover()
    text = panel_text(page)
    assert "the blaze" in text and "mention score 2.00, rank 3 of 8 kept spans" in text
    scores = np.array([2 + 4 + 0.5, 2 + 0.2 - 8, 2 + 0.5 - 8, 2 + 1 - 8, 0])
    probability = np.exp(scores[0]) / np.exp(scores).sum()
    facts = page.locator(".facts p").all_inner_texts()  # the probability comes before the scores
    assert facts[0] == f"place probability {100 * probability:.1f}%; mention 2 of 3 in cluster 1"
    rows = page.locator(".antecedents li")
    assert rows.nth(0).get_attribute("class") == "chosen"
    first = re.sub(r"\s+", " ", rows.nth(0).inner_text())
    assert first == f"→ A fire in a factory ✓ gold {100 * probability:.1f}% 2.00 + 4.00 + 0.50 = 6.50"
    assert rows.nth(1).inner_text().startswith("no antecedent")
    assert "✓ Linked as in gold cluster 1." in text
    mention(page, 14, 14).hover()
    assert "3.00 + 2.00 + 1.00 = 6.00" in panel_text(page)
    page.mouse.move(2, 790)
    assert "Point at a mention" in panel_text(page)


def test_nothing_moves_under_the_pointer(visit, fire_page):
    page = visit(fire_page)
    boxes = "[...document.querySelectorAll('#text .w')].map((word) => JSON.stringify(word.getBoundingClientRect()))"
    before = page.evaluate(boxes)
    mention(page, 0, 4).hover()
    assert page.evaluate(boxes) == before


def test_red_intensity_shows_the_head_attention(visit, fire_page):
    page = visit(fire_page)
    scores = fire().output.head_scores[0:5].astype(float)
    expected = np.exp(scores) / np.exp(scores).sum()
    assert not page.locator(
        "#show-heads input"
    ).is_checked()  # off by default, so that clusters' colours stand out
    page.locator("#show-heads input").check()
    mention(page, 0, 4).locator(".tag").first.click()

    def redness(selector):
        return [
            float(re.search(r"/ ([\d.]+)\)$", colour)[1])
            if "/" in colour
            else float(colour != "rgba(0, 0, 0, 0)")
            for colour in page.evaluate(
                f"[...document.querySelectorAll('{selector}')].map((word) => getComputedStyle(word).backgroundColor)"
            )
        ]

    np.testing.assert_allclose(redness('[data-span="0-4"] .w'), 0.88 * expected, atol=0.005)
    weights = [round(float(text)) for text in re.findall(r"([\d.]+)%", page.locator(".weights").inner_text())]
    np.testing.assert_allclose(weights, 100 * expected, atol=0.6)
    page.locator("#show-heads input").uncheck()
    assert set(redness('[data-span="0-4"] .w')) == {0.0}


WHY = [
    ("19-19", "14-14", "low mention score", "“it” has mention score −2.50"),
    ("8-8", "6-6", "low antecedent score", "The antecedent score of the pair, −3.00, is too low"),
    ("17-17", "4-6", "span pruned", "crosses “A fire in a factory”, which scores 4.00"),
    (
        "18-18",
        "17-17",
        "span pruned",
        "is −6.00, below −2.50, the lowest that was kept (8 spans are kept)",
    ),
    ("18-18", "8-14", "not a candidate", "has 7 words; spans have at most 5"),
    ("19-19", "0-4", "too far", "is not among the 6 nearest spans"),
    ("14-14", "6-6", "another antecedent is better", "but “the blaze” scores higher"),
    (
        "19-19",
        "3-4",
        "low antecedent score",
        "not among the 5 best antecedents of “it”: its score is at most −10.30",
    ),
    ("14-14", "10-11", "linked", "“the blaze” is the antecedent of “it”"),
    ("14-14", "0-4", "linked", "Both are in one cluster"),
    ("6-9", "0-4", "not a candidate", "crosses a sentence boundary"),
]


def test_why_two_spans_are_linked_or_not(visit, fire_page):
    """After one span is shown and another picked, the page gives the expected reason."""
    page = visit(fire_page)
    for span, other, kind, text in WHY:
        page.evaluate(f"app.close(); location.hash = '#1/{span}'")
        page.locator(".pick").click()
        assert "Pick the other mention" in panel_text(page)
        page.evaluate(f"location.hash = '#1/{other}'")
        reason = page.locator(".comparison .reason")
        reason.wait_for()
        assert reason.locator("b").inner_text() == kind, (span, other)
        assert text in reason.inner_text().replace("\n", " "), (span, other)


def test_missed_gold_links_are_explained(visit, fire_page):
    page = visit(fire_page)
    missed = re.sub(r"\s+", " ", page.locator(".missed-links").inner_text())
    assert missed.startswith("4 of 6 gold links missed")
    assert "Workers → people low antecedent score" in missed
    assert "it → it low mention score" in missed
    assert "Ana → factory hurt people span pruned" in missed
    page.locator('.missed-links a[href="#1/8-8"]').click()
    page.locator("#panel", has_text="Expected by gold").wait_for()
    text = panel_text(page)
    assert "Expected by gold cluster 2, but missing link with people low antecedent score" in text
    assert "s = 0.20 + 0.50 − 3.00 = −2.30" in text
    page.evaluate("location.hash = '#1/6-6'")
    page.locator("#panel h3", has_text="people").wait_for()
    assert "link with Workers low antecedent score" in panel_text(page)


def test_a_tap_opens_the_sheet_and_nothing_overflows_on_a_phone(visit, fire_page):
    page = visit(fire_page, **PHONE)
    assert not page.locator("#panel").is_visible()
    assert page.get_by_text("Tap or click a mention").is_visible()
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") == 375
        mention(page, 14, 14).locator(".w").tap()
        page.locator("#panel.open").wait_for()
    assert "mention score 3.00" in panel_text(page)
    word, sheet = mention(page, 14, 14).bounding_box(), page.locator("#panel").bounding_box()
    assert word["y"] + word["height"] <= sheet["y"] and sheet["width"] == 375
    page.locator(".close").tap()
    assert not page.locator("#panel").is_visible()


def test_the_keyboard_reaches_everything(visit, fire_page):
    page = visit(fire_page)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "tag"
    assert page.locator("#panel h3").inner_text() == "A fire in a factory"
    page.keyboard.press("ArrowDown")
    assert page.locator("#panel h3").inner_text() == "the blaze"
    page.keyboard.press("ArrowRight")
    assert page.locator("#panel h3").inner_text() == "it"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "panel"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "close"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('.mention').dataset.span") == "14-14"
    assert "Point at a mention" in panel_text(page)
    assert page.evaluate("location.hash") == "#1"


def test_selected_words_are_a_span(visit, fire_page):
    page = visit(fire_page)
    page.evaluate(
        """() => {
          const range = document.createRange();
          range.setStart(document.querySelector('[data-word="9"]').firstChild, 0);
          range.setEnd(document.querySelector('[data-word="10"]').firstChild, 3);
          getSelection().addRange(range);
        }"""
    )
    page.locator("#panel h3", has_text="fled the").wait_for()
    assert "span pruned" in panel_text(page) and "−9.00, below −2.50" in panel_text(page)


def test_documents_have_a_table_of_contents(visit, fire_page):
    page = visit(fire_page)
    assert re.sub(r"\s+", " ", page.locator("#contents ol").inner_text()) == (
        "nw/fire_0 21 words, 1 cluster nw/second_0 3 words, 0 clusters"
    )
    page.locator("#contents a", has_text="nw/second_0").click()
    page.locator("#name", has_text="nw/second_0").wait_for()
    assert page.locator("#text").inner_text() == "She left."
    assert "No two spans refer to the same thing." in page.locator("#clusters").inner_text()
    assert not page.get_by_text("Tap or click a mention").is_visible()
    assert not page.locator("#show-gold").is_visible()
    page.locator("#turn a", has_text="previous").click()
    page.locator("#name", has_text="nw/fire_0").wait_for()
    page.locator("#show-kept input").check()
    assert mention(page, 3, 4).get_attribute("class") == "mention unlinked"


def test_every_pair_of_candidates_has_an_explanation(visit, fire_page):
    """Every pair of candidates has one of the known reasons, in a text without undefined values."""
    page = visit(fire_page)
    spans = [list(span) for span in all_candidates(FIRE, 6)]
    kinds = page.evaluate(
        """(spans) => spans.flatMap((a) => spans.filter((b) => String(a) !== String(b))
          .map((b) => explain(app.doc, app.doc.span(...a), app.doc.span(...b)))
          .map(({ kind, text }) => (text.includes("undefined") || text.includes("NaN") ? text : kind)))""",
        spans,
    )
    assert set(kinds) == {
        "linked", "not a candidate", "span pruned", "too far", "low mention score", "low antecedent score",
        "another antecedent is better",
    }  # fmt: skip


def test_the_speaker_is_shown_where_a_turn_begins(visit, tmp_path):
    """A document of words has the speaker's name above each turn; a text contains the name itself."""
    text = document_from_text("It begins.\nAna: I left. I slept.\nBen: You did?", "tc/call", dialogue=True)
    words = Document("tc/words", text.sentences, text.speakers)
    with open_page(tmp_path / "call.html", "call", SETTINGS) as write:
        for document in (words, text):
            write(predicted(document, [(3, 3), (6, 6)], [1.0, 1.0], lambda i, j: 2.0, {}))
    page = visit(tmp_path / "call.html")
    assert mention(page, 3, 3).inner_text() == "1I"
    assert page.locator(".speaker").all_inner_texts() == ["Ana", "Ben"]
    page = visit(tmp_path / "call.html", "#2")
    assert mention(page, 3, 3).inner_text() == "1I"
    assert re.sub(r"\[?1|\]", "", page.locator("#text .prose").inner_text()).split("\n") == text.text.split(
        "\n"
    )
