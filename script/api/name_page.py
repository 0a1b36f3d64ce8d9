"""What Chromium makes of the page that asks for a name which Apple did not share: in several languages, by keyboard, after a mistake, and
without scripts.
"""

import requests
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from languages import DESCRIBE, LANGUAGES, fits_and_is_legible, works_by_keyboard
from sign_in_page import Tenant

BUTTON = "main button:not(.refusal)"


def reaches_the_page(browser, party, mode, **others):
    """Signs in with Apple as a new person who deletes the name on Apple's sheet."""
    browser.open(party.authorization(mode, provider="apple", **others))
    browser.click("button[name=simulator_person][value=new]")
    for field in ("simulator_given_name", "simulator_family_name"):
        browser.text(f"input[name={field}]")
        browser.run("document.querySelector(`[name=${arguments[0]}]`).value = ' '", field)
    browser.click("button[name=simulator_action][value=continue]")
    browser.text("input[name=given_name]")


def reads_well(browser, language, direction):
    found = browser.run(DESCRIBE)
    assert (found["lang"], found["dir"]) == (language, direction), found
    # The title of a page with a mistake starts with the mistake.
    assert len(found["headings"]) == 1 and found["title"].endswith(found["headings"][0]), found
    assert not found["nameless"] and "{" not in found["text"], found
    fits_and_is_legible(browser)
    works_by_keyboard(browser, found["reachable"])


def gives_a_name(browser, server, party, arrived):
    tenant, application = Tenant(server, "acme"), f"/applications/{party.credentials['client_id']}"
    # The sign-in page shows that the server knows both settings.
    tenant.change({"requires_name": True, "sign_in_page": "always"}, application)
    while requests.get(party.authorization("query"), allow_redirects=False).status_code != 200:
        pass
    for language, direction in (LANGUAGES | {"en": "ltr"}).items():
        reaches_the_page(browser, party, "query", ui_locales=language)
        reads_well(browser, language, direction)
        browser.click(BUTTON)
        mistake = browser.text("[role=alert]")
        assert mistake and browser.run("return document.title").startswith(mistake)
        assert browser.run("return document.querySelectorAll('[aria-invalid=true]').length") == 2
        assert browser.run("return document.activeElement === document.querySelector('input.name')")
        reads_well(browser, language, direction)
    browser.click("button[formaction*='/sign-in']")
    browser.click("button[name=simulator_action][value=cancel]")
    # The page after a canceled sign-in.
    browser.text("a.apple")
    reaches_the_page(browser, party, "query")
    browser.click("button[formaction*='/refusal']")
    assert arrived(browser, party, "query", "error") == "access_denied"

    for mode, scripts in (("form_post", True), ("query", False)):
        reaches_the_page(browser, party, mode)
        browser.set_scripts(scripts)
        browser.driver.find_element(By.NAME, "given_name").send_keys("Ada")
        browser.driver.find_element(By.NAME, "family_name").send_keys("Lovelace", Keys.ENTER)
        token = party.redeem(arrived(browser, party, mode, "code"))["access_token"]
        browser.set_scripts(True)
        user = requests.get(f"{party.backend}/t/acme/oauth2/userinfo", headers={"Authorization": f"Bearer {token}"}).json()
        assert user["name"] == "Ada Lovelace", user
    tenant.change({"requires_name": None, "sign_in_page": None}, application)
    while requests.get(party.authorization("query"), allow_redirects=False).status_code != 302:
        pass
    # The cookies stay for 15 minutes, because the form can be sent again.
    browser.forget_cookies()
