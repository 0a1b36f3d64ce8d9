"""What Chromium makes of the pages after a sign-in that did not succeed: canceled, expired, in another browser, used, suspended, without
budget, and when Apple does not respond or refuses the settings. Each page is laid out, read and used by keyboard, and leads on.
"""

import time

import requests
from selenium.webdriver.common.by import By

from languages import DESCRIBE, fits_and_is_legible, works_by_keyboard
from name_page import BUTTON, reaches_the_page
from sign_in_page import Tenant

LOGIN_URL = "https://shop.acme.example/login"
SUPPORT = "mailto:hilfe@acme.example"
# What the log says about settings that Apple refuses. The page does not say it.
REFUSED = "apple_invalid_client"


def explains(browser, title, leads_to):
    """The page has the tenant's look, the problem, a reference, and a link that starts with `leads_to`."""
    browser.expect_title(title)
    found = browser.run(DESCRIBE)
    assert found["headings"] == [title] and found["landmarks"] == [1, 1] and not found["nameless"] and "{" not in found["text"], found
    assert "Reference: " in found["text"] and REFUSED not in found["text"], found["text"]
    links = browser.run("return [...document.querySelectorAll('a[href]')].map(each => each.href)")
    assert [each for each in links if each.startswith(leads_to)], links
    fits_and_is_legible(browser)
    works_by_keyboard(browser, found["reachable"])


def explains_failures(browser, server, party, agree, arrived):
    tenant, application = Tenant(server, "acme"), f"/applications/{party.credentials['client_id']}"
    back = f"{party.redirect_uri}&error="

    def becomes(status):
        deadline = time.monotonic() + 60
        while (now := requests.get(party.authorization("query"), allow_redirects=False).status_code) != status:
            assert time.monotonic() < deadline, (now, status)
            time.sleep(0.05)

    def reaches_apple():
        browser.open(party.authorization("query", provider="apple"))
        browser.text("button[name=simulator_person][value=new]")

    def fails_at_apple(fault):
        requests.post(
            f"{server.settings['simulator_url']}/simulator/faults",
            json={"endpoint": "token", "client_id": "com.example.acme.web", "times": 1} | fault).raise_for_status()
        reaches_apple()
        agree(browser)

    # A new person shares a name, so only the step that removes it is asked for one.
    tenant.change({"login_url": LOGIN_URL, "requires_name": True, "sign_in_page": "always"}, application)
    becomes(200)

    reaches_apple()
    browser.click("button[name=simulator_action][value=cancel]")
    explains(browser, "You canceled the sign-in", f"{back}access_denied")

    browser.open(
        f"{party.issuer}/oauth2/authorize?client_id={party.credentials['client_id']}"
        "&request_uri=urn:ietf:params:oauth:request_uri:expired")
    explains(browser, "This sign-in has expired", LOGIN_URL)

    reaches_apple()
    browser.forget_cookies()
    agree(browser)
    explains(browser, "This sign-in was started in another browser", LOGIN_URL)

    reaches_the_page(browser, party, "query")
    browser.driver.find_element(By.NAME, "given_name").send_keys("Ada")
    browser.click(BUTTON)
    party.redeem(arrived(browser, party, "query", "code"))
    # The page is not stored, so Chromium asks before it sends Apple's form again. A reload is the answer.
    browser.driver.back()
    browser.driver.refresh()
    explains(browser, "This sign-in is already finished", LOGIN_URL)
    browser.forget_cookies()

    requests.post(f"{tenant.url}/suspend", headers=tenant.key).raise_for_status()
    becomes(404)
    browser.open(party.authorization("query"))
    explains(browser, "Sign-in is suspended", SUPPORT)
    requests.post(f"{tenant.url}/resume", headers=tenant.key).raise_for_status()
    becomes(200)

    # Acme has more logins in this month.
    requests.put(f"{tenant.url}/budget", headers=tenant.key, json={"logins": 1, "hard": True}).raise_for_status()
    becomes(503)
    browser.open(party.authorization("query"))
    explains(browser, "Sign-in is not available this month", LOGIN_URL)
    requests.delete(f"{tenant.url}/budget", headers=tenant.key).raise_for_status()
    becomes(200)

    fails_at_apple({"fault": "status", "status": 503})
    explains(browser, "Apple does not respond", f"{back}temporarily_unavailable")
    browser.click("a.apple")
    agree(browser)
    party.redeem(arrived(browser, party, "query", "code"))

    fails_at_apple({"fault": "error", "error": "invalid_client"})
    explains(browser, "Sign-in does not work at the moment", f"{back}server_error")
    assert not browser.run("return document.querySelector('a.apple')"), "a new sign-in would fail, too"
    deadline = time.monotonic() + 20
    while not any(REFUSED in each for each in server.complaints()):
        assert time.monotonic() < deadline, "the log does not have the reason"
        time.sleep(0.05)

    tenant.change({"login_url": None, "requires_name": None, "sign_in_page": None}, application)
    becomes(302)
