"""What Chromium makes of several Apple Accounts: a first sign-in with the address of another user shows a page that links both or keeps them
apart, a link in a mail links them as well, and a user confirms one more Apple Account. The pages are laid out, read and used by keyboard.
"""

import base64
import html
import json
import re
import time

import requests

from languages import DESCRIBE, fits_and_is_legible, works_by_keyboard


def make_person(server, name, email):
    id = name.lower().replace(" ", "-")
    requests.post(
        f"{server.settings['simulator_url']}/simulator/people", json={"name": name, "id": id, "email": email}).raise_for_status()
    return id


def continues_as(browser, person):
    browser.click(f"button[name=simulator_person][value={person}]")
    browser.click("button[name=simulator_action][value=continue]")


def mailed_link(server, path="/oauth2/link/mail"):
    """The link to this path in the newest mail that the server has caught."""
    pages, deadline = server.settings["mail_url"], time.monotonic() + 60
    while True:
        for number in sorted(map(int, re.findall(r'href="/mail/(\d+)"', requests.get(pages).text)), reverse=True)[:1]:
            if link := re.search(rf'href="([^"]*{path}[^"]*)"', requests.get(f"{pages}/{number}").text):
                return html.unescape(link[1])
        assert time.monotonic() < deadline, "no mail arrives"
        time.sleep(0.1)


def is_usable(browser, heading):
    browser.expect_heading(heading)
    found = browser.run(DESCRIBE)
    assert found["headings"] == [found["title"]] and not found["nameless"] and "{" not in found["text"], found
    fits_and_is_legible(browser)
    works_by_keyboard(browser, found["reachable"])


def survives_a_reload(browser, heading):
    # The browser sends Apple's form again.
    browser.driver.refresh()
    browser.expect_heading(heading)


def comes_back(browser, heading):
    # The page is not stored, so Chromium asks before it sends Apple's form again. A reload is the answer.
    browser.text("button[name=simulator_person]")
    browser.driver.back()
    browser.driver.refresh()
    browser.expect_heading(heading)


def subject(tokens):
    body = tokens["access_token"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["sub"]


def links_accounts(browser, server, party, arrived):
    people = [make_person(server, f"{name} Owner", "linked@example.com") for name in ("First", "Second", "Third", "Mailed")]
    people.append(make_person(server, "Fourth Owner", "other@example.com"))

    def signed_in():
        return party.redeem(arrived(browser, party, "query", "code"))

    def asked(person):
        browser.open(party.authorization("query"))
        continues_as(browser, person)
        is_usable(browser, "An account with this address exists already")

    browser.open(party.authorization("query"))
    continues_as(browser, people[0])
    owner = signed_in()
    asked(people[1])
    survives_a_reload(browser, "An account with this address exists already")
    browser.click("main button:not(.refusal)")
    comes_back(browser, "An account with this address exists already")
    browser.click("main button:not(.refusal)")
    continues_as(browser, people[0])
    assert subject(signed_in()) == subject(owner), "the Apple Accounts are not linked"
    # Those of the sign-in that the person came back from.
    abandoned = {cookie["name"] for cookie in browser.cookies()}
    assert len(abandoned) == 2, abandoned
    browser.open(party.authorization("query"))
    continues_as(browser, people[1])
    owner = signed_in()
    asked(people[3])
    browser.click("main button[formaction*='/mail']")
    is_usable(browser, "Look into your mailbox")
    browser.open(mailed_link(server))
    is_usable(browser, "Connect this Apple Account?")
    browser.click("main button")
    assert subject(signed_in()) == subject(owner), "the link does not lead to the account"
    asked(people[2])
    browser.click("main button.refusal")
    assert subject(signed_in()) != subject(owner), "the Apple Accounts are linked"

    identities, bearer = f"{party.issuer}/users/me/identities", {"Authorization": f"Bearer {owner['access_token']}"}
    asking = requests.post(identities, headers=bearer, json={"redirect_uri": party.redirect_uri, "state": party.state})
    asking.raise_for_status()
    browser.open(asking.json()["url"])
    continues_as(browser, people[4])
    is_usable(browser, "Connect this Apple Account?")
    survives_a_reload(browser, "Connect this Apple Account?")
    browser.click("main button:not(.refusal)")
    result = arrived(browser, party, "query", "result")
    completing = requests.post(f"{identities}/completion", headers=bearer, json={"result": result})
    completing.raise_for_status()
    added = completing.json()["id"]
    assert added in [each["id"] for each in requests.get(identities, headers=bearer).json()["data"]], "the Apple Account is not there"
    assert {cookie["name"] for cookie in browser.cookies()} == abandoned, "a cookie is still there"
