"""What Chromium makes of single sign-on: a user allows an application of a third party, and signs out of all of them. The pages are laid
out, read and used by keyboard in several languages.
"""

from urllib.parse import urlencode

import requests

from languages import DESCRIBE, LANGUAGES, fits_and_is_legible, works_by_keyboard

FRAME = "/in-a-frame"


def share(server, party, on):
    """The setting, which no tenant has by default; until the server knows it."""
    base, key = server.settings["base_url"], {"Authorization": f"Bearer {server.settings['platform_api_key']}"}
    requests.patch(f"{base}/v1/tenants/acme", headers=key, json={"single_sign_on": on}).raise_for_status()
    known = "You are not signed out" if on else "This server does not store your sign-in"
    while known not in requests.get(f"{party.issuer}/oauth2/logout").text:
        pass


def make_third_party(server, party):
    base, key = server.settings["base_url"], {"Authorization": f"Bearer {server.settings['platform_api_key']}"}
    requests.patch(
        f"{base}/v1/tenants/acme/applications/{party.credentials['client_id']}", headers=key,
        json={"is_third_party": True, "frontchannel_logout_uri": party.web.origin + FRAME}).raise_for_status()


def can_be_used(browser, address, languages=LANGUAGES | {"en": "ltr"}):
    """The page in each language; English is the last one."""
    for language, direction in languages.items():
        browser.open(f"{address}&{urlencode({'ui_locales': language})}")
        found = browser.run(DESCRIBE)
        assert (found["lang"], found["dir"]) == (language, direction), found
        assert found["headings"] == [found["title"]] and not found["nameless"] and "{" not in found["text"], found
        fits_and_is_legible(browser)
        works_by_keyboard(browser, found["reachable"])


def shares_a_sign_in(browser, server, party, partner, signed_out, agree, arrived):
    """`party` is the tenant's own application, and `partner` is one of a third party."""
    share(server, party, on=True)
    make_third_party(server, partner)
    browser.open(party.authorization("query"))
    agree(browser)
    party.redeem(arrived(browser, party, "query", "code"))

    can_be_used(browser, partner.authorization("query"))
    browser.click("button[formaction*='/refusal']")
    assert arrived(browser, partner, "query", "error") == "access_denied"
    browser.open(partner.authorization("form_post"))
    browser.click("main button:not(.refusal)")
    partner.redeem(arrived(browser, partner, "form_post", "code"))
    # Without a question this time.
    browser.open(partner.authorization("query"))
    partner.redeem(arrived(browser, partner, "query", "code"))

    named = {"client_id": party.credentials["client_id"], "post_logout_redirect_uri": party.web.origin + signed_out, "state": party.state}
    question = f"{party.issuer}/oauth2/logout?{urlencode(named)}"
    can_be_used(browser, question)
    browser.click("main button")
    # The browser leaves the page only after it has loaded the frame.
    frame, back = party.web.visit(), party.web.visit()
    assert frame.path == FRAME and frame.fields["iss"] == party.issuer and frame.fields["sid"].startswith("session_"), frame
    assert back.path == signed_out and back.fields == {"state": party.state}, back
    browser.expect_title("Arrived")
    assert not browser.cookies(), "the browser is still signed in"
    share(server, party, on=False)
