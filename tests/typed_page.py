"""Steps of a user on the page of `coref serve`, in headless Chromium."""

PHONE = {"viewport": {"width": 375, "height": 720}, "has_touch": True, "is_mobile": True}


def resolve(page, text):
    """Types a text, resolves it and waits for the result."""
    page.get_by_role("textbox", name="Type or paste a text").fill(text)
    page.get_by_role("button", name="Resolve", exact=True).click()
    page.locator("#status", has_text="found").wait_for()
