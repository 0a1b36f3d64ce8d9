"""The tenant's sign-in page in Chromium: with the tenant's brand, it leads to Apple and back. A second application then gets its answer
silently, and one logout ends both sessions.
"""

from urllib.parse import urlencode

import requests

from languages import DESCRIBE, fits_and_is_legible, works_by_keyboard
from spec import ROOT

# The logo that the documents use, too, so that their readers see the pages of the pictures.
LOGO = (ROOT / "docs/acme.svg").read_bytes()
BRAND = {
    "display_name": "Acme", "color": "#0b6b4f", "default_language": "de", "support_url": "mailto:hilfe@acme.example",
    "privacy_url": "https://acme.example/datenschutz", "terms_url": "https://acme.example/agb"}


class Tenant:
    """A tenant as its administrator changes it."""

    def __init__(self, server, slug):
        self.url = f"{server.settings['base_url']}/v1/tenants/{slug}"
        self.key = {"Authorization": f"Bearer {server.settings['platform_api_key']}"}

    def change(self, members, path=""):
        requests.patch(self.url + path, headers=self.key, json=members).raise_for_status()

    def brand(self):
        self.change(BRAND, "/branding")
        requests.put(
            f"{self.url}/branding/logo", headers=self.key | {"Content-Type": "image/svg+xml"}, data=LOGO).raise_for_status()


def shows_the_page(browser, party, **others):
    """Opens the page, as soon as the server knows of the change."""
    while requests.get(party.authorization("query", **others), allow_redirects=False).status_code != 200:
        pass
    browser.open(party.authorization("query", **others))


def signs_in_through_the_page(browser, server, first, second, agree, arrived):
    tenant = Tenant(server, "acme")
    tenant.brand()
    tenant.change({"sign_in_page": "always", "single_sign_on": True})
    # Its brand decides the language of a browser whose languages are not those of the pages.
    for others, language, title in (
        ({"ui_locales": "de"}, "de", "Bei Browser anmelden"), ({"ui_locales": "de", "screen_hint": "sign-up"}, "de", "Bei Browser registrieren"),
        ({"ui_locales": "ar", "prompt": "select_account"}, "ar", None),
    ):
        shows_the_page(browser, first, **others)
        found = browser.run(DESCRIBE)
        assert found["lang"] == language and not found["nameless"], found
        assert not title or found["headings"] == [title], found["headings"]
        assert browser.run("return [...document.images].every(image => image.complete && image.naturalWidth > 0)")
        fits_and_is_legible(browser)
        works_by_keyboard(browser, found["reachable"])

    shows_the_page(browser, first, ui_locales="de")
    browser.click("a.apple")
    agree(browser)
    tokens = [first.redeem(arrived(browser, first, "query", "code"))]
    # Nothing is shown now.
    browser.open(second.authorization("query"))
    tokens.append(second.redeem(arrived(browser, second, "query", "code")))

    browser.open(f"{first.issuer}/oauth2/logout?" + urlencode({"id_token_hint": tokens[0]["id_token"], "ui_locales": "de"}))
    browser.expect_title("Sie sind abgemeldet")
    for party, own in zip((first, second), tokens):
        again = requests.post(party.token_endpoint, data=party.credentials | {
            "grant_type": "refresh_token", "refresh_token": own["refresh_token"]})
        assert again.status_code == 400 and again.json()["error"] == "invalid_grant", "a session goes on"
    shows_the_page(browser, second, ui_locales="de")
    tenant.change({"sign_in_page": None, "single_sign_on": None})
    while requests.get(first.authorization("query"), allow_redirects=False).status_code != 302:
        pass
