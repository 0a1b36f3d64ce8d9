"""The pages for people in other languages: Chromium lays them out on a phone and on a desktop, in light and in dark, and works with
them by keyboard alone.
"""

from urllib.parse import urlencode

from pages import LAY_OUT, MEASURE

WIDTHS = (320, 1280)
# One from right to left, one with long words, one without spaces between words.
LANGUAGES = {"ar": "rtl", "de": "ltr", "ja": "ltr"}

DESCRIBE = """
    const root = document.documentElement;
    const style = getComputedStyle(document.querySelector("main"));
    return {
        lang: root.lang, dir: root.dir, direction: style.direction, title: document.title,
        headings: [...document.querySelectorAll("h1")].map(each => each.textContent),
        landmarks: ["header", "main"].map(name => document.querySelectorAll(name).length),
        // Fields without a name for a screen reader, and pictures without a text.
        nameless: [...document.querySelectorAll("input:not([type=hidden]), button, a, img")].filter(each =>
            !(each.labels?.length || each.textContent.trim() || each.alt || each.querySelector("img")?.alt || each.getAttribute("aria-label")))
            .map(each => each.outerHTML),
        reachable: [...document.querySelectorAll("a[href], button, input:not([type=hidden])")].length,
        text: document.body.innerText,
    };
"""

REACHABLE = "a[href], button, input:not([type=hidden])"

# The element with the focus, and whether its focus can be seen.
FOCUS = """
    const element = document.activeElement;
    if (element === document.body) return null;
    const style = getComputedStyle(element);
    return {index: [...document.querySelectorAll("a[href], button, input:not([type=hidden])")].indexOf(element),
            outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth)};
"""


def fits_and_is_legible(browser):
    """It breaks no rule of axe-core. In light and in dark, at each width, nothing is cut off and each text has a contrast of 4.5 to 1."""
    assert not (violations := browser.violations()), violations
    for width in WIDTHS:
        browser.set_width(width)
        found = browser.run(LAY_OUT)
        # A long page has less, because of the scroll bar.
        assert found["needed"] <= found["width"] <= width and not found["outside"], found
        for scheme in ("dark", "light"):
            browser.set_color_scheme(scheme)
            texts = browser.run(MEASURE)
            assert texts and not (pale := [each for each in texts if each[0] < 4.5]), (width, scheme, pale)
    browser.set_width(None)


def works_by_keyboard(browser, reachable):
    """The Tab key reaches each link, button and field in their order, and each shows that it has the focus.

    A page can give the focus to one in the middle. Then Shift and Tab lead to the first one, and at the end it has the focus again. The
    focus never leaves the page, because then it would stay outside of the next page, too.
    """
    start = (browser.run(FOCUS) or {"index": 0})["index"]
    for _ in range(start):
        browser.press_tab(back=True)
    reached = []
    while len(reached) < reachable:
        # A field that has the focus from the start is the first one.
        if reached or not browser.run(FOCUS):
            browser.press_tab()
        focus = browser.run(FOCUS)
        assert focus and focus["outline"] >= 2, focus
        reached.append(focus["index"])
    assert reached == list(range(reachable)), reached
    browser.run("document.querySelectorAll(arguments[0])[arguments[1]]?.focus()", REACHABLE, start)


def speak_languages(browser, party):
    """Each kind of page in each of the languages; the number of pages."""
    refused = {"redirect_uri": "https://elsewhere.test/" + "a-long-address/" * 20}
    number = 0
    for language, direction in LANGUAGES.items():
        titles = set()
        asked = {"ui_locales": f"tlh {language}"}
        addresses = [
            party.authorization("query", **asked, **refused), party.authorization("query", **asked, client_id="x"),
            party.authorization("query", **asked, state="x" * 12300), f"{party.issuer}/oauth2/logout?{urlencode(asked)}",
            f"{party.issuer}/device?{urlencode(asked)}", f"{party.issuer}/device/approval?{urlencode(asked | {'state': 'x'})}",
            f"{party.origin}/t/nobody/oauth2/authorize?{urlencode(asked)}", f"{party.origin}/nothing?{urlencode(asked)}",
        ]
        for address in addresses:
            browser.open(address)
            found = browser.run(DESCRIBE)
            assert (found["lang"], found["dir"], found["direction"]) == (language, direction, direction), found
            assert found["headings"] == [found["title"]] and found["landmarks"][1] == 1 and not found["nameless"], found
            assert "{" not in found["text"], found["text"]
            fits_and_is_legible(browser)
            works_by_keyboard(browser, found["reachable"])
            titles.add(found["title"])
            number += 1
        assert len(titles) >= 7, titles
        # On a server for development, the developer sees what is registered.
        browser.open(addresses[0])
        registered = browser.text("dl ~ dl")
        assert party.web.origin in registered and party.issuer.startswith("http:"), registered
    assert not (complaints := browser.complaints()), complaints
    return number
