"""The page of `coref serve`, on which users type texts, in headless Chromium."""

import json
import re

import pytest
from fake_model import FakeModel
from running_server import running
from sample_files import make_docx
from typed_page import PHONE, resolve

TEXT = "Ana met Ben. Then she left with her dog."
TALK = "Ana: I saw Ben.\nBen: I saw Ana. And my dog saw her."


def clusters(page):
    lines = page.locator("#clusters li .members")
    return [re.sub(r"\s+", " ", line) for line in lines.all_inner_texts()]


def test_type_resolve_and_click_a_mention(visit, home):
    page = visit(home)
    assert page.title() == "Coreference: fake" and not page.locator("main").is_visible()
    page.get_by_role("textbox").press_sequentially("Ana slept. Then she ate.")
    page.keyboard.press("Control+Enter")
    page.locator("#status", has_text="1 cluster found.").wait_for()
    assert clusters(page) == ["Ana · she"]
    assert page.locator(".dial output").inner_text() == "0%, 1 link"
    page.locator(".mention", has_text="she").locator(".w").click()
    panel = page.get_by_role("region", name="Details of a span")
    facts = panel.locator(".facts p").all_inner_texts()
    assert facts[0].endswith("; mention 2 of 2 in cluster 1")
    assert facts[1] == "mention score 1.00, rank 1 of 2 kept spans"
    page.get_by_role("button", name="Why (not) linked with …?").click()
    page.locator('[data-word="1"]').evaluate(
        "(word) => getSelection().selectAllChildren(word)"
    )  # selects "slept", which is no mention
    page.locator(".comparison .reason", has_text="span pruned").wait_for()
    # A link to another span shows it without changing the page's address.
    address = page.url
    panel.get_by_role("link", name="Ana").click()
    assert panel.locator("h3").inner_text() == "Ana" and page.url == address


def test_a_link_contains_the_text(visit, home):
    page = visit(home)
    page.get_by_role("checkbox", name="turns of speakers").check()
    resolve(page, TALK)
    again = visit(home, page.url.removeprefix(home))
    again.locator("#status", has_text="found").wait_for()
    assert again.get_by_role("textbox").input_value() == TALK
    assert again.get_by_role("checkbox", name="turns of speakers").is_checked()
    assert clusters(again) == clusters(page) == ["I · my", "Ana · her"]
    # A new fragment in the address is a new text.
    again.evaluate("location.hash = '#text=Zoe+lost+her+hat.'")
    again.locator("#clusters", has_text="Zoe").wait_for()
    assert clusters(again) == ["Zoe · her"]


def test_a_pasted_conversation_can_be_read_with_speakers(visit, home):
    page = visit(home)
    resolve(page, TALK)
    status = page.locator("#status")
    assert "This looks like a conversation: 2 turns of 2 speakers." in status.inner_text()
    status.get_by_role("button", name="Read it as one").click()
    page.get_by_text("found. 2 turns of 2 speakers.").wait_for()
    assert page.get_by_role("checkbox", name="turns of speakers").is_checked()
    resolve(page, TEXT)
    assert "no turns found; expected lines such as `Ana: words`" in status.inner_text()


def test_examples_can_be_clicked(visit, home):
    page = visit(home)
    examples = page.get_by_role("group", name="Examples").get_by_role("button")
    assert examples.count() == 4
    for example in examples.all():
        example.click()
        page.locator("#status", has_text="found").wait_for()
        assert page.locator("#text .w").count() > 15
        speakers = page.get_by_role("checkbox", name="turns of speakers").is_checked()
        assert speakers == (example.inner_text() == "A conversation")


def test_errors_are_readable_and_keep_the_text(visit):
    """Each error is a plain sentence, and the text stays in the box."""
    with running(FakeModel(), max_words=50, timeout=1) as client:
        page = visit(f"http://127.0.0.1:{client.port}/", ignored="console: Failed to load resource")
        alert = page.get_by_role("alert")

        def complaint(text):
            page.get_by_role("textbox").fill(text)
            page.get_by_role("button", name="Resolve", exact=True).click()
            page.locator("#problem:not(:empty)").wait_for()
            assert page.get_by_role("textbox").input_value() == text
            assert page.get_by_role("button", name="Resolve", exact=True).is_enabled()
            return alert.inner_text()

        assert complaint(" ") == "There is no text yet. Type or paste one, or click an example."
        assert complaint("so long " * 60).startswith("This is too long: the request has 120 words")
        assert complaint("zzz") == "This takes too long: the answer would have taken more than 1 seconds."
        resolve(page, TEXT)
        assert alert.inner_text() == ""
    assert complaint("Ana left.") == "The server can't be reached. If it is still running, try again."
    assert clusters(page) == ["Ana · she · her"]  # the previous result is still shown


def test_an_empty_text_removes_the_previous_result(visit, home):
    page = visit(home)
    resolve(page, TEXT)
    page.get_by_role("textbox").fill("")
    page.get_by_role("button", name="Resolve", exact=True).click()
    page.get_by_role("alert").get_by_text("There is no text yet.").wait_for()
    assert not page.locator("main").is_visible() and page.url == home
    resolve(page, TEXT)
    assert clusters(page) == ["Ana · she · her"] and page.locator("main").is_visible()


def test_results_can_be_copied(visit, home):
    page = visit(home, permissions=["clipboard-read", "clipboard-write"])
    resolve(page, TEXT)

    def copy(name):
        page.get_by_role("group", name="Copy the result").get_by_role("button", name=name).click()
        page.locator("#status").get_by_text("Copied").wait_for()
        return page.evaluate("navigator.clipboard.readText()")

    assert copy("Copy resolved text") == "Ana met Ben. Then Ana left with Ana's dog."
    result = json.loads(copy("Copy JSON"))
    assert [[mention["text"] for mention in cluster] for cluster in result["clusters"]] == [
        ["Ana", "she", "her"]
    ]
    assert result["text"] == TEXT
    assert copy("Copy link") == page.url and page.url.startswith(f"{home}#text=Ana+met+Ben.")
    # If the browser has no clipboard, a dialog shows the text to copy by hand.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy resolved text").click()
    dialog = page.get_by_role("dialog", name="resolved text")
    assert dialog.get_by_role("textbox").input_value() == "Ana met Ben. Then Ana left with Ana's dog."
    assert page.evaluate("String(document.activeElement.selectionEnd)") == "42"
    dialog.get_by_role("button", name="Close").click()
    assert dialog.count() == 0


def test_the_slider_removes_links_everywhere(visit, home):
    """The slider removes links on the page and in the copied text, and is part of the page's link."""
    page = visit(home, permissions=["clipboard-read", "clipboard-write"])
    assert not page.get_by_role("slider").is_visible()
    resolve(page, "Ana met Zoe. Then she left, and she slept.")
    assert clusters(page) == ["Zoe · she · she"]
    slider = page.get_by_role("slider", name="minimum probability")
    slider.fill("100")
    page.locator(".dial output", has_text="100%").wait_for()
    assert clusters(page) == [] and page.locator("#status").inner_text() == ""
    page.get_by_role("button", name="Copy resolved text").click()
    page.locator("#status").get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "Ana met Zoe. Then she left, and she slept."
    page.wait_for_url(re.compile("&least=1$"))
    again = visit(home, page.url.removeprefix(home))
    again.locator("#status", has_text="0 clusters found.").wait_for()
    assert again.get_by_role("slider").input_value() == "100"
    slider.press("Home")
    page.locator(".dial output", has_text="all 2 links").wait_for()
    page.wait_for_url(re.compile("slept.$"))
    assert clusters(page) == ["Zoe · she · she"]


def test_a_slow_request_can_be_stopped(visit, home):
    page = visit(home)
    page.route("**/resolve", lambda route: None)  # an answer that never comes
    page.get_by_role("textbox").fill(TEXT)
    page.get_by_role("button", name="Resolve", exact=True).click()
    assert page.locator("#status").inner_text() == "Resolving …"
    page.get_by_role("button", name="Stop").click()
    assert page.get_by_role("button", name="Resolve", exact=True).is_enabled()
    assert page.locator("#status").inner_text() == page.get_by_role("alert").inner_text() == ""
    page.unroute("**/resolve")
    resolve(page, TEXT)


@pytest.mark.parametrize("options", [{}, PHONE])
def test_controls_have_names_and_stay_on_the_screen(visit, home, options):
    page = visit(home, **options)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skips to the text, or to the box as long as there is none
    assert page.evaluate("document.activeElement.id") == "box"
    resolve(page, TALK)
    page.locator(".mention .w").last.click()
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for button in page.locator("button:visible, a.button:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, button.inner_text()
    nameless = page.evaluate(
        """[...document.querySelectorAll("button, input, textarea, a")].filter((element) =>
          !(element.getAttribute("aria-label") || element.textContent || element.labels?.[0]?.textContent).trim()
        ).length"""
    )
    assert nameless == 0


def test_nothing_in_a_text_is_executed(visit, home):
    page = visit(home, ignored="console: ")
    resolve(page, "<img src=x onerror=hacked=1> </script><script>hacked=1</script> Ana hurt her.")
    assert page.locator("#text").text_content().startswith("<img src=x onerror=hacked=1> </script>")
    # Even an element that a bug of the page let through would not be executed or loaded.
    page.evaluate(
        """() => document.body.append(
          Object.assign(document.createElement("script"), { text: "window.hacked = 1" }),
          Object.assign(document.createElement("img"), { src: "/healthz" }),
        )"""
    )
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("fetch('data:,x').catch(() => 'refused')") == "refused"


def test_placeholder_and_legend(visit, home):
    page = visit(home)
    assert "drop a file here" in page.get_by_role("textbox").get_attribute("placeholder")
    placeholder = visit(home, **PHONE).get_by_role("textbox").get_attribute("placeholder")
    assert placeholder == "Ana told Ben that she had lost her keys. He helped her look for them."
    assert page.get_by_role("link", name="Annotate texts").count() == 0  # the server has no folder of texts
    assert page.get_by_role("combobox", name="Model").count() == 0  # there is only one model
    resolve(page, TEXT)
    page.get_by_text("What the numbers mean").click()
    assert "How likely these words are to be a mention." in page.locator("#legend").inner_text()
    assert not page.get_by_role("checkbox", name="head attention").is_checked()
    page.evaluate("document.body.style.minHeight = '3000px'")
    right = page.evaluate("document.querySelector('header').getBoundingClientRect().right")
    assert right == page.evaluate("document.documentElement.clientWidth")


def test_model_and_genre_can_be_chosen(visit):
    made = FakeModel()
    models = {"coref": made.served(), "other": made.served()._replace(name="second", genres=("bio", "wb"))}
    with running(models) as client:
        home = f"http://127.0.0.1:{client.port}/"
        page = visit(home)
        assert page.title() == "Coreference: fake + second"
        genre, model = page.get_by_role("combobox", name="Genre"), page.get_by_role("combobox", name="Model")
        assert genre.locator("option").all_inner_texts() == ["news", "telephone call"]
        assert genre.input_value() == "news"
        model.select_option("second")
        genre.select_option("web")
        with page.expect_request("**/resolve") as asked:
            resolve(page, TEXT)
        assert json.loads(asked.value.post_data)["model"] == "other"
        assert json.loads(asked.value.post_data)["genre"] == "wb"
        again = visit(home, page.url.removeprefix(home))
        again.locator("#status", has_text="found").wait_for()
        assert again.get_by_role("combobox", name="Genre").input_value() == "wb"
        assert again.get_by_role("combobox", name="Model").input_value() == "other"


DROP = """([name, bytes]) => {
  const file = new File([Uint8Array.from(bytes)], name);
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(file);
  const box = document.getElementById("box");
  for (const type of ["dragenter", "dragover", "drop"])
    box.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}"""


def test_files_can_be_dropped_and_opened(visit, home):
    page = visit(home, ignored="console: Failed to load resource")
    page.set_default_timeout(80_000)  # each file starts a process
    page.evaluate(DROP, ["visit.docx", list(make_docx())])
    page.locator("#status", has_text="found").wait_for()
    text = page.get_by_role("textbox").input_value()
    assert text.startswith("A visit\n\nAna met Ben.") and clusters(page) == ["Ana · she"]
    assert page.locator(".dropping").count() == 0
    page.locator("#file").set_input_files(
        {"name": "a.md", "mimeType": "", "buffer": b"# Zoe\n\n*Zoe* lost her hat."}
    )
    page.locator("#clusters", has_text="Zoe").wait_for()
    assert page.get_by_role("textbox").input_value() == "Zoe\n\nZoe lost her hat."
    page.evaluate(DROP, ["a.pdf", [1, 2, 3]])
    page.locator("#problem:not(:empty)").wait_for()
    alert = page.get_by_role("alert").inner_text()
    assert alert.startswith("This can't be read: a.pdf: cannot be read: ") and alert.endswith(
        "expected a PDF."
    )
    assert page.get_by_role("textbox").input_value() == "Zoe\n\nZoe lost her hat."
