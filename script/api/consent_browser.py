"""What Chromium makes of the page that asks about an application of a third party after Apple's sheet, without single sign-on. It is laid
out, read and used by keyboard in several languages, and works without scripts.
"""

import requests

from languages import DESCRIBE, LANGUAGES, fits_and_is_legible, works_by_keyboard
from linking_browser import continues_as, make_person, subject
from sign_in_page import Tenant

ALLOW = "main button:not(.refusal)"


def reaches_the_page(browser, party, mode, person, **others):
    browser.open(party.authorization(mode, provider="apple", **others))
    continues_as(browser, person)
    browser.text("form[action*='/oauth2/consent']")


def reads_well(browser, language, direction):
    found = browser.run(DESCRIBE)
    assert (found["lang"], found["dir"]) == (language, direction), found
    assert found["headings"] == [found["title"]] and not found["nameless"] and "{" not in found["text"], found
    fits_and_is_legible(browser)
    works_by_keyboard(browser, found["reachable"])


def asks_after_apple(browser, server, party, arrived):
    ada, grace = (make_person(server, f"{name} Partner", f"{name.lower()}@partner.example") for name in ("Ada", "Grace"))
    tenant, application = Tenant(server, "acme"), f"/applications/{party.credentials['client_id']}"
    # The sign-in page shows that the server knows both settings.
    tenant.change({"is_third_party": True, "sign_in_page": "always"}, application)
    while requests.get(party.authorization("query"), allow_redirects=False).status_code != 200:
        pass
    for language, direction in (LANGUAGES | {"en": "ltr"}).items():
        reaches_the_page(browser, party, "query", ada, ui_locales=language)
        reads_well(browser, language, direction)
        browser.click("button[formaction*='/refusal']")
        assert arrived(browser, party, "query", "error") == "access_denied"
        assert not browser.cookies(), "the refused sign-in has a cookie"

    # Another Apple Account, whose user is asked, too.
    reaches_the_page(browser, party, "form_post", ada)
    browser.click("button[formaction*='/sign-in']")
    continues_as(browser, grace)
    browser.text("form[action*='/oauth2/consent']")
    assert "grace@partner.example" in browser.text("main")
    browser.click(ALLOW)
    other = subject(party.redeem(arrived(browser, party, "form_post", "code")))

    reaches_the_page(browser, party, "query", ada)
    browser.set_scripts(False)
    browser.click(ALLOW)
    user = subject(party.redeem(arrived(browser, party, "query", "code")))
    browser.set_scripts(True)
    assert user != other
    # Without a question this time.
    browser.open(party.authorization("query", provider="apple"))
    continues_as(browser, ada)
    assert subject(party.redeem(arrived(browser, party, "query", "code"))) == user
    tenant.change({"is_third_party": None, "sign_in_page": None}, application)
    while requests.get(party.authorization("query"), allow_redirects=False).status_code != 302:
        pass
    # The cookies stay for 15 minutes, because the form can be sent again.
    browser.forget_cookies()
