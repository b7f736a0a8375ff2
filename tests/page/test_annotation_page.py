"""The annotation page of `coref serve --annotate`, on which people correct predictions, in headless Chromium."""

import contextlib
import functools
import re

import pytest
from fake_model import FakeModel
from running_server import running, until

from coref_tf.annotation.folder import AnnotationFolder
from coref_tf.annotation.routes import annotation_routes
from coref_tf.documents import read_documents

PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}
#        0   1   2  3 4    5   6    7 8   9   10    11 12 13  14
TEXT = "Ana met Ben. Then she left, and she slept. Ben saw her."


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "visit.txt").write_text(TEXT)
    (tmp_path / "sure.txt").write_text("Ana slept.")
    return tmp_path


@pytest.fixture
def serve(texts):
    """A context manager that runs a server for the folder and waits until it has ranked the texts."""

    @contextlib.contextmanager
    def serve_folder(port=0):
        routes = functools.partial(annotation_routes, AnnotationFolder(texts))
        with running(FakeModel(), more_routes=routes, port=port) as client:
            listed = functools.partial(client.get, "/annotate/documents")
            until(
                lambda: all(
                    "doubt" in text or text["state"] == "annotated" for text in listed().content["texts"]
                ),
                60,
            )
            yield client

    return serve_folder


def home(client):
    return f"http://127.0.0.1:{client.port}/"


def wait_until_open(page, name="visit.txt"):
    page.locator("#name", has_text=name).wait_for()
    return page


def clusters(page):
    lines = page.locator("#clusters li .members").all_inner_texts()
    return [re.sub(r"\s+", " ", line) for line in lines]


def word(page, number):
    return page.locator(f'#text [data-word="{number}"]')


def wait_for_draft(page):
    page.locator("#status", has_text="Draft saved.").wait_for()


def saved_clusters(texts, name="visit.txt"):
    (document,) = read_documents(texts / f"{name}.jsonlines")
    return [
        [" ".join(document.words[start : end + 1]) for start, end in cluster] for cluster in document.clusters
    ]


def test_correct_with_the_mouse_and_save(visit, serve, texts):
    with serve() as client:
        page = visit(home(client))
        page.get_by_role("link", name="Annotate texts").click()
        wait_until_open(page)
        assert clusters(page) == ["Ana · she · she · her", "Ben · Ben"]
        word(page, 5).click()
        page.get_by_role("button", name="Remove").click()
        assert clusters(page) == ["Ana · she · her", "Ben · Ben"]
        word(page, 9).click()
        page.get_by_role("button", name="Move to …").click()
        word(page, 2).click()
        assert clusters(page) == ["Ana · her", "Ben · she · Ben"]
        # Selects words that were no mention, moves an edge, and adds them to a cluster by its number.
        word(page, 5).click()
        page.get_by_role("button", name="End a word later").click()
        assert page.locator("#panel h3").inner_text() == "she left"
        page.get_by_role("button", name="Cluster 1: put").click()
        assert clusters(page)[0] == "Ana · she left · her"
        page.get_by_role("button", name="Join with …").click()
        page.locator("#clusters").get_by_role("link", name="Ben").first.click()
        assert clusters(page) == ["Ana · Ben · she left · she · Ben · her"]
        word(page, 9).click()
        page.get_by_role("button", name="Split from here").click()
        assert clusters(page) == ["Ana · Ben · she left", "she · Ben · her"]
        for _ in range(5):
            page.get_by_role("button", name="Undo").click()
        assert clusters(page) == ["Ana · she · she · her", "Ben · Ben"]
        assert page.get_by_role("button", name="Undo").is_disabled()
        page.get_by_role("button", name="Redo").click()
        wait_for_draft(page)
        page.get_by_role("button", name="Save and next").click()
        wait_until_open(page, "sure.txt")  # the model is more certain of this one
        assert saved_clusters(texts) == [["Ana", "she", "her"], ["Ben", "Ben"]]
        page.locator("summary", has_text="1 of 2 texts annotated").wait_for()
        page.get_by_role("button", name="Save and next").click()
        page.locator("#status", has_text="All texts are annotated.").wait_for()
        assert page.locator("#status code").inner_text() == f"coref finetune {texts}"
        assert saved_clusters(texts, "sure.txt") == []


def test_a_mention_can_be_chosen_by_its_bracket(visit, serve):
    with serve() as client:
        page = wait_until_open(visit(home(client), "annotate"))
        left = page.locator('.mention[data-span="5-5"]')
        height = left.bounding_box()["height"]
        left.click(position={"x": 2, "y": height / 2})
        assert page.locator("#panel h3").inner_text() == "she"
        page.get_by_role("button", name="Move to …").click()
        page.locator('.mention[data-span="2-2"]').click(position={"x": 2, "y": height / 2})
        assert clusters(page) == ["Ana · she · her", "Ben · she · Ben"]
        wait_for_draft(page)


def test_correct_with_the_keyboard(visit, serve, texts):
    with serve() as client:
        page = wait_until_open(visit(home(client), "annotate"))
        press = page.keyboard.press
        press("n"), press("n"), press("n")  # to Ana, Ben and the first "she"
        press("Delete")
        assert clusters(page) == ["Ana · she · her", "Ben · Ben"]
        press("n"), press("o")  # the second "she" becomes its own cluster
        assert clusters(page) == ["Ana · her", "Ben · Ben", "she"]
        assert page.locator("#facts").inner_text().endswith("1 cluster with only one mention is not saved")
        press("m"), press("p"), press("Enter")  # moves it to the cluster of the previous mention, Ben
        assert clusters(page) == ["Ana · her", "Ben · she · Ben"]
        press("j"), press("1")
        assert clusters(page) == ["Ana · Ben · she · Ben · her"]
        press("s")
        assert clusters(page) == ["Ana · Ben", "she · Ben · her"]
        press("Escape")
        for _ in range(5):
            press("ArrowRight")
        press("Shift+ArrowRight"), press("Enter")
        assert clusters(page)[1] == "Then she"
        press("Alt+ArrowRight"), press("Alt+Shift+ArrowRight")
        assert clusters(page)[1] == "she left"
        press("Control+z"), press("Control+z"), press("Control+Shift+z")
        assert clusters(page)[1] == "Then she left"
        press("n"), press("n"), press("n"), press("1")
        assert clusters(page)[0] == "Ana · Ben · Then she left"
        # A span that crosses a mention is refused.
        press("ArrowLeft"), press("ArrowRight"), press("ArrowRight")
        press("Shift+ArrowRight"), press("Shift+ArrowRight"), press("Shift+ArrowRight"), press("Enter")
        assert "cross the mention “Then she left”" in page.get_by_role("alert").inner_text()
        press("Control+s")
        page.locator("#status", has_text="visit.txt was saved.").wait_for()
        assert saved_clusters(texts) == [["Ana", "Ben", "Then she left"], ["she", "Ben", "her"]]


def test_changes_survive_a_server_failure_and_a_closed_browser(visit, serve, texts):
    """Drafts are stored on the server, and in the browser while the server can't be reached."""
    with serve() as client:
        page = wait_until_open(visit(home(client), "annotate", ignored="console: Failed to load resource"))
        page.keyboard.press("n")
        page.keyboard.press("Delete")
        wait_for_draft(page)
        again = wait_until_open(visit(home(client), "annotate"))  # in another browser
        again.locator("#status", has_text="Your unsaved changes were restored.").wait_for()
        assert clusters(again) == ["Ben · Ben", "she · she · her"]
        discard = again.get_by_role("button", name="Discard them").bounding_box()
        text = again.locator("#text").bounding_box()
        assert discard["y"] + discard["height"] + 16 <= text["y"]  # the frame of the text is 8 pixels wide
        again.get_by_role("button", name="Discard them").click()
        assert clusters(again) == ["Ana · she · she · her", "Ben · Ben"]
        again.get_by_role("button", name="Undo").click()
        wait_for_draft(again)
    page.keyboard.press("n")
    page.keyboard.press("Delete")
    page.locator("#status", has_text="Your changes are stored in this browser.").wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#problem", has_text="Not saved. The server can't be reached.").wait_for()
    kept = clusters(page)
    assert kept == ["she · she · her", "Ben"]
    with serve(port=client.port):
        page.reload()
        page.locator("#status", has_text="Your unsaved changes were restored.").wait_for()
        assert clusters(page) == kept
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator("#status", has_text="visit.txt was saved.").wait_for()
        until(lambda: not (texts / ".coref-drafts" / "visit.txt.json").exists())


def test_saving_after_somebody_else_asks_before_overwriting(visit, serve, texts):
    with serve() as client:
        pages = [
            wait_until_open(visit(home(client), "annotate", ignored="console: Failed to load resource"))
            for _ in range(2)
        ]
        for page in pages:
            page.get_by_role("button", name="Save", exact=True).click()
            page.locator("#status:not(:empty), #problem:not(:empty)").first.wait_for()
        pages[1].locator("#problem", has_text="Somebody else has saved visit.txt").wait_for()
        pages[1].get_by_role("button", name="Save mine instead").click()
        pages[1].locator("#status", has_text="visit.txt was saved.").wait_for()


@pytest.mark.parametrize("options", [{}, PHONE])
def test_selected_words_can_be_marked_and_buttons_stay_on_the_screen(visit, serve, options):
    with serve() as client:
        page = wait_until_open(visit(home(client), "annotate", **options))
        page.evaluate(
            """() => { const range = document.createRange();
              range.setStartBefore(document.querySelector('[data-word="10"]'));
              range.setEndAfter(document.querySelector('[data-word="11"]'));
              getSelection().addRange(range); }"""
        )
        page.locator("#panel h3", has_text="slept.").wait_for()
        page.get_by_role("button", name="Mark as a new cluster").click()
        assert "slept." in clusters(page)
        width = page.viewport_size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for button in page.locator("button:visible").all():
            box = button.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, button.inner_text()
        page.close()  # otherwise, it might save its draft after the server has stopped
