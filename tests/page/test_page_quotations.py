"""Quotations and their speakers on the page, in headless Chromium."""

from fake_predictions import SETTINGS, fire, predicted
from typed_page import PHONE, resolve

from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.page.data import page_data
from coref_tf.page.writer import open_page

TEXT = '"I saw Ben," said Ana. Then she left. "Did you see her, too?" asked the captain. "Who knows!"'


def listed_quotations(page):
    """Returns the listed quotations as (number of the cluster, speaker, words)."""
    items = page.locator(".quotations li").all_inner_texts()
    return [tuple(line for line in item.split("\n") if line) for item in items]


def label(page, number):
    """Returns the name shown at the beginning of a quotation, and the colour of the quotation's line."""
    content = "(one) => [getComputedStyle(one, '::before').content, getComputedStyle(one).borderBottomColor]"
    return page.locator(".quotation").nth(number).evaluate(content)


def test_quotations_are_marked_in_the_text_and_listed(visit, home):
    page = visit(home)
    assert not page.get_by_role("checkbox", name="quotations").is_visible()
    resolve(page, TEXT)
    assert page.locator(".quotations h3").inner_text() == "3 quotations"
    assert listed_quotations(page)[:2] == [
        ("1", "Ana", '"I saw Ben,"'),
        ("–", "the captain", '"Did you see her, too?"'),
    ]
    # The name is not part of the text, and it has the colour of the cluster.
    assert page.locator("#text .prose").evaluate("(text) => text.textContent").replace("1", "") == TEXT
    own = page.locator(".mention", has_text="Ana").evaluate(
        "(one) => getComputedStyle(one).borderBottomColor"
    )
    name = page.locator(".quotations .speaker-name").first.evaluate("(one) => getComputedStyle(one).color")
    assert name == own and label(page, 0) == ['"Ana"', own]
    assert label(page, 1)[0] == '"the captain"' and label(page, 1)[1] != own
    page.get_by_role("checkbox", name="quotations").uncheck()
    assert page.locator(".quotation").count() == 0 and len(listed_quotations(page)) == 3


def test_list_items_point_to_the_text(visit, home):
    page = visit(home)
    resolve(page, TEXT)
    page.locator(".quotations").get_by_role("link", name="Ana").click()
    assert page.locator("#panel h3").inner_text() == "Ana"
    page.get_by_role("button", name="Did you see her").click()
    assert page.locator(".quotation.pointed").inner_text().startswith('"Did you see')
    assert page.locator("#text .current").count() == 0
    page.locator(".mention", has_text="Ana").locator(".w").click()
    assert page.locator(".pointed").count() == 0


def test_the_slider_removes_the_colour_of_a_speaker_with_the_cluster(visit, home):
    page = visit(home)
    resolve(page, TEXT)
    page.get_by_role("slider", name="minimum probability").fill("100")
    assert listed_quotations(page)[0] == ("–", "Ana", '"I saw Ben,"')
    assert page.locator(".quotation.nobody").count() == 3


def test_a_text_without_quotations(visit, home):
    page = visit(home)
    resolve(page, "Ana met Ben. Then she left.")
    assert page.locator(".quotations, .quotation").count() == 0
    assert not page.get_by_role("checkbox", name="quotations").is_visible()


def test_documents_without_a_text_show_each_sentence_on_a_line(visit, tmp_path):
    rows = ["`` Yes . I do , '' said Ana .", "She left ."]
    document = Document("x", [rows[0].split()[:3], rows[0].split()[3:], rows[1].split()])
    prediction = predicted(document, [(8, 8), (10, 10)], [1.0, 1.0], lambda i, j: 2.0, {})
    with open_page(tmp_path / "words.html", "words", SETTINGS) as write:
        write(prediction)
    page = visit(tmp_path / "words.html", **PHONE)
    assert page.locator(".quotation").all_inner_texts() == ["“Yes.", "I do,”"]
    assert page.locator(".quotation[data-speaker]").count() == 1
    assert listed_quotations(page) == [("1", "Ana", "“Yes. I do,”")]
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_long_names_do_not_overflow_on_a_phone(visit, home):
    page = visit(home, **PHONE)
    long = "Bartholomew Featherstonehaugh" + "cholmondeley" * 5
    resolve(page, f'"{"long words " * 30}," said Ana. "Yes," said {long}. {TEXT}')
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    assert f'"{long}"' in {label(page, number)[0] for number in range(2)}
    page.locator(".said").last.tap()
    box = page.locator(".quotation.pointed").bounding_box()
    assert 0 < box["y"] < 620  # on the screen; how far from its edges depends on the fonts


def test_the_data_of_quotations():
    document = document_from_text(TEXT, "x")
    words = list(document.words)
    ana, she = words.index("Ana"), words.index("she")
    prediction = predicted(document, [(ana, ana), (she, she)], [1.0, 1.0], lambda i, j: 2.0, {})
    first, second, _ = page_data(prediction, SETTINGS)["quotations"]
    assert first == {"start": 0, "end": 5, "depth": 0, "speaker": "Ana", "span": 0}
    assert (second["speaker"], second["span"]) == ("the captain", None)
    assert page_data(prediction, SETTINGS._replace(language="de"))["quotations"] == []
    assert page_data(fire(), SETTINGS)["quotations"] == []
