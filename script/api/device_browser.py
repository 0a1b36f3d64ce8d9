"""What Chromium makes of the pages of the device grant: it signs a user in on a device, by hand and by a link, and takes no part in a
form that another site sends.
"""

import html

import requests

from languages import fits_and_is_legible
from web_application import Page

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
AGENT = "Television/1.0 (\"'><b>)"


def permit(server, party):
    """The setting, which no application has by default; until the server knows it."""
    base, key = server.settings["base_url"], {"Authorization": f"Bearer {server.settings['platform_api_key']}"}
    requests.patch(
        f"{base}/v1/tenants/acme/applications/{party.credentials['client_id']}", headers=key,
        json={"allows_device_grant": True}).raise_for_status()
    while start(party).get("error") == "unauthorized_client":
        pass


def start(party):
    endpoint = party.token_endpoint.replace("/oauth2/token", "/oauth2/device_authorization")
    return requests.post(endpoint, data=party.credentials, headers={"User-Agent": AGENT}).json()


def poll(party, codes):
    return requests.post(party.token_endpoint, data=party.credentials | {"grant_type": GRANT, "device_code": codes["device_code"]}).json()


def can_be_used(browser, title):
    """In light and in dark, from 320 pixels, each text of the page can be read and nothing is cut off."""
    browser.expect_title(title)
    fits_and_is_legible(browser)


def signs_in_a_device(browser, party, agree):
    codes = start(party)
    browser.open(codes["verification_uri_complete"])
    can_be_used(browser, "Sign in on a device")
    browser.click("button")
    can_be_used(browser, "Is this your device?")
    assert AGENT in browser.text("dl") and codes["user_code"] in browser.text("dl"), browser.text("dl")
    (cookie,) = browser.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["secure"] == party.origin.startswith("https:"), cookie
    browser.click("a.button")
    browser.expect_heading("Apple Account")
    agree(browser)
    can_be_used(browser, "Sign in on this device?")
    browser.click("form[action$='/device/approval'] button")
    browser.expect_title("The device is signed in")
    # A reload of the result needs the cookie, which expires with the code.
    assert [each["name"] for each in browser.cookies()] == [cookie["name"]], browser.cookies()
    assert (tokens := poll(party, codes)).get("access_token"), tokens
    browser.forget_cookies()


def refuses_a_device(browser, party):
    codes = start(party)
    browser.open(codes["verification_uri"])
    browser.run("document.querySelector('#user_code').value = arguments[0]", codes["user_code"].lower())
    browser.click("button")
    browser.click("form[action$='/device/refusal'] button")
    browser.expect_title("You refused the device")
    assert (answer := poll(party, codes))["error"] == "access_denied", answer


def is_not_led_to_a_device(browser, party, stranger):
    """A form of another site with the attacker's own code."""
    codes = start(party)
    stranger.pages["/free"] = Page(
        f'<title>Free</title><form method="post" action="{html.escape(codes["verification_uri"])}">'
        f'<input name="user_code" value="{codes["user_code"]}"><button>Play</button></form>')
    browser.open(f"{stranger.origin}/free")
    assert stranger.visit().path == "/free"
    browser.click("button")
    browser.expect_title("Nothing was approved")
    assert not browser.cookies()
    assert (answer := poll(party, codes))["error"] == "authorization_pending", answer
