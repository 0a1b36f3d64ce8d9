"""Signs users in with a real browser, Chromium, against a server of its own.

A confidential application (at Acme, with an Apple connection of its own) and a public one (at Globex, on the shared connection)
get their answers by a page that posts (`response_mode=form_post`) and by a redirect. They stand on another site than the server,
as most do; and once more with https, and with Apple on a third site, as in production, where the cookie is another.

What only a browser can tell: that it takes the cookie along through Apple, sends what the page holds, obeys the page's policy, and
finds nothing to complain of in pages of ours that nobody has tampered with. `pages.py` has it parse, lay out and color pages.
"""

import base64
import hashlib
import html
import secrets
import sys
import time
from urllib.parse import urlencode

import requests

from account_browser import manages_accounts
from chromium import Chromium
from consent_browser import asks_after_apple
from dev_server import DevServer
from device_browser import is_not_led_to_a_device, permit, refuses_a_device, signs_in_a_device
from error_pages import REFUSED, explains_failures
from languages import speak_languages
from https_server import HTTPSServer, TLSEnd, make_certificate
from linking_browser import links_accounts
from name_page import gives_a_name
from pages import are_legible, fit_a_phone, have_a_policy_on_disk, show_text_as_text
from sign_in_page import signs_in_through_the_page
from sso_browser import shares_a_sign_in
from web_application import Page, WebApplication

# What a form, a page or an address could mistake for something of its own.
AWKWARD = "a b+c&d=e\"'><script>document.title='planted'</script>%41 é"
CALLBACK, SIGNED_OUT = "/callback?kept=1", "/signed-out"


class Party:
    """An application that is registered at a tenant, and how it signs users in."""

    def __init__(self, server, slug, kind, web, https=None):
        self.web, base = web, server.settings["base_url"]
        self.origin, self.backend = (https.origin, https.backend) if https else (base, base)
        self.issuer, self.token_endpoint = f"{self.origin}/t/{slug}", f"{self.backend}/t/{slug}/oauth2/token"
        answer = requests.post(
            f"{self.backend}/v1/tenants/{slug}/applications", headers={"Authorization": f"Bearer {server.settings['platform_api_key']}"},
            json={"name": "Browser", "kind": kind, "redirect_uris": [web.origin + CALLBACK], "logout_uris": [web.origin + SIGNED_OUT]})
        answer.raise_for_status()
        self.credentials = {"client_id": answer.json()["id"]}
        if secret := answer.json().get("client_secret"):
            self.credentials["client_secret"] = secret
        self.verifier, self.state, self.redirect_uri = secrets.token_hex(32), AWKWARD + secrets.token_hex(8), web.origin + CALLBACK

    def authorization(self, mode, **others):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")
        return f"{self.issuer}/oauth2/authorize?" + urlencode({
            "response_type": "code", "response_mode": mode, "client_id": self.credentials["client_id"],
            "redirect_uri": self.redirect_uri, "scope": "openid profile email", "state": self.state,
            "code_challenge": challenge, "code_challenge_method": "S256"} | others)

    def answered(self, mode, outcome, page_origin=None):
        """What the browser brings: `outcome` (`code` or `error`) with state and issuer, in the way that was asked for."""
        page_origin = page_origin or self.origin
        visit = self.web.visit()
        assert visit.path == "/callback" and visit.method == {"form_post": "POST", "query": "GET"}[mode], (visit.method, visit.path)
        if mode == "query":
            assert visit.fields.pop("kept") == "1"
            # Whose page it comes from is nobody's business, least of all with a code in the address.
            assert "referer" not in visit.headers, visit.headers["referer"]
        else:
            assert visit.headers["origin"] == page_origin and visit.headers["referer"] == f"{page_origin}/", visit.headers
        assert visit.fields.keys() - {"error_description"} == {outcome, "state", "iss"}, visit.fields.keys()
        assert visit.fields["state"] == self.state and visit.fields["iss"] == self.issuer
        return visit.fields[outcome]

    def redeem(self, code):
        answer = requests.post(self.token_endpoint, data=self.credentials | {
            "grant_type": "authorization_code", "code": code, "code_verifier": self.verifier, "redirect_uri": self.redirect_uri})
        answer.raise_for_status()
        return answer.json()


def arrived(browser, party, mode, outcome, **others):
    """The answer, once the browser shows what the application says to it. Before that, another page would be opened in vain."""
    value = party.answered(mode, outcome, **others)
    browser.expect_title("Arrived")
    return value


def agree(browser):
    browser.click("button[name=simulator_person][value=new]")
    browser.click("button[name=simulator_action][value=continue]")


def signs_in(browser, party, mode):
    browser.open(party.authorization(mode))
    browser.expect_heading("Apple Account")
    (cookie,), is_secure = browser.cookies(), party.origin.startswith("https:")
    assert cookie["httpOnly"] and cookie["secure"] == is_secure and cookie["name"].startswith("__Host-") == is_secure
    # Between Apple's site and ours browsers take no other along with a POST.
    assert cookie["sameSite"] == ("None" if is_secure else "Lax")
    agree(browser)
    tokens = party.redeem(arrived(browser, party, mode, "code"))
    assert not browser.cookies(), "the login's cookie is still there"
    return tokens


def cancels(browser, party, mode):
    browser.open(party.authorization(mode))
    browser.click("button[name=simulator_action][value=cancel]")
    assert arrived(browser, party, mode, "error") == "access_denied"


def is_refused_at_once(browser, party):
    browser.open(party.authorization("form_post", prompt="none"))
    assert arrived(browser, party, "form_post", "error") == "login_required"


def signs_in_without_scripts(browser, party):
    browser.set_scripts(allowed=False)
    browser.open(party.authorization("form_post"))
    agree(browser)
    # Apple's page has a button for this, and so has ours.
    browser.click("form[action$='/auth/apple/callback'] button")
    browser.expect_title("Back to the application")
    party.web.expect_no_other()
    browser.click("button")
    party.redeem(arrived(browser, party, "form_post", "code"))
    browser.set_scripts(allowed=True)


def stays_at_the_application(browser, party, stranger):
    """As docs/applications.md has it: the answer to the post may lead on within the application's origin, and not out of it."""
    party.web.pages["/callback"] = Page("", 303, (("Location", "/home"),))
    browser.open(party.authorization("form_post", prompt="none"))
    assert arrived(browser, party, "form_post", "error") == "login_required" and party.web.visit().path == "/home"
    nothing_wrong(browser)
    party.web.pages["/callback"] = Page("", 303, (("Location", stranger.origin),))
    browser.open(party.authorization("form_post", prompt="none"))
    assert party.answered("form_post", "error") == "login_required"
    browser.expect_complaint("form-action")
    stranger.expect_no_other()
    del party.web.pages["/callback"]


def withstands_what_is_planted(browser, party, stranger, copy):
    """The page as the server sends it, policy and all, with something of a stranger's in it, which the policy makes harmless."""
    answer = requests.get(party.authorization("form_post", prompt="none"))
    headers = tuple((name, answer.headers[name]) for name in ("Content-Security-Policy", "Referrer-Policy"))
    form = f'<form method="post" action="{stranger.origin}/taken"><input name="code" value="planted">'
    for planted, directive in (
        # The page's own script posts the first form.
        (form + "</form>", "form-action"),
        # A form within a form is none: the page's fields and button become the stranger's.
        (form, "form-action"),
        (f"<script>location = '{stranger.origin}/taken'</script>", "script-src"),
        (f'<script src="{stranger.origin}/taken"></script>', "script-src"),
        (f'<img src="{stranger.origin}/taken">', "img-src"),
        (f'<base href="{stranger.origin}/taken">', "base-uri"),
    ):
        assert answer.text.count("<form") == 1
        copy.pages["/page"] = Page(answer.text.replace("<form", planted + "<form"), headers=headers)
        browser.open(f"{copy.origin}/page")
        browser.expect_complaint(directive)
        if directive == "form-action":
            party.web.expect_no_other()
        else:
            # Nothing of it has an effect: the page posts as ever.
            arrived(browser, party, "form_post", "error", page_origin=copy.origin)
        stranger.expect_no_other()


def is_not_led_away(browser, party, stranger):
    """A state with U+0600 and others before and after each character of markup: the browser posts it, and goes nowhere else."""
    state, target = party.state, stranger.origin.replace("http:", "")
    for joining in ("\u0600", "\u0301", "\u200d", "\u0903"):
        for markup in (f'"><meta http-equiv=refresh content=0;url={target}/taken>', f'"><script src={target}/taken></script>'):
            party.state = "".join(f"{joining}{each}{joining}" if each in "\"<>" else each for each in f"x{markup}")
            is_refused_at_once(browser, party)
            stranger.expect_no_other()
            nothing_wrong(browser)
    party.state = state


def cannot_be_framed(browser, party):
    url = party.authorization("form_post", prompt="none")
    party.web.pages["/frame"] = Page(f'<title>Frame</title><iframe src="{html.escape(url)}"></iframe>')
    browser.open(f"{party.web.origin}/frame")
    assert party.web.visit().path == "/frame"
    browser.expect_complaint("frame-ancestors")
    party.web.expect_no_other()


def signs_out(browser, party, stranger, tokens):
    """Back to the application with its state, by GET and by the POST of a form of its own; to a page where there is no way back."""
    endpoint, hint = f"{party.issuer}/oauth2/logout", tokens["id_token"]
    fields = {"id_token_hint": hint, "post_logout_redirect_uri": party.web.origin + SIGNED_OUT, "state": party.state}
    browser.open(f"{endpoint}?{urlencode(fields)}")
    expect_return(browser, party)
    again = requests.post(party.token_endpoint, data=party.credentials | {
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]})
    assert again.status_code == 400 and again.json()["error"] == "invalid_grant", "the session goes on"

    inputs = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
    party.web.pages["/leave"] = Page(f'<title>Leave</title><form method="post" action="{endpoint}">{inputs}<button>Sign out</button></form>')
    browser.open(f"{party.web.origin}/leave")
    assert party.web.visit().path == "/leave"
    browser.click("button")
    expect_return(browser, party)

    # Without the id_token, by the client id.
    named = {name: value for name, value in fields.items() if name != "id_token_hint"} | {"client_id": party.credentials["client_id"]}
    browser.open(f"{endpoint}?{urlencode(named)}")
    expect_return(browser, party)

    # On loopback any port is the registered one.
    elsewhere = {"post_logout_redirect_uri": f"{stranger.origin}/elsewhere"}
    for changed, title, detail in (
        ({"id_token_hint": hint}, "You are signed out", "The application can no longer act for you."),
        (fields | elsewhere, "You are signed out", "is not registered for this application"),
        (named | elsewhere, "This page cannot send you back", "is not registered for this application"),
        ({}, "This server does not store your sign-in", "You can close this page."),
    ):
        browser.open(f"{endpoint}?{urlencode(changed)}")
        browser.expect_title(title)
        assert detail in browser.text("main")
    party.web.expect_no_other()
    stranger.expect_no_other()


def expect_return(browser, party):
    visit = party.web.visit()
    assert visit.path == SIGNED_OUT and visit.method == "GET" and visit.fields == {"state": party.state}, visit.path
    assert "referer" not in visit.headers, "the application is told the address that the id_token stood in"
    browser.expect_title("Arrived")


def nothing_wrong(browser):
    assert not (complaints := browser.complaints()), complaints


def main():
    start = time.monotonic()
    with (
        DevServer() as server, WebApplication() as web, WebApplication() as stranger, WebApplication() as copy,
        Chromium(server.folder / "browser") as browser
    ):
        acme, globex = Party(server, "acme", "web", web), Party(server, "globex", "spa", web)
        for party, slug in ((acme, "acme"), (globex, "globex")):
            for mode in ("form_post", "query"):
                tokens = signs_in(browser, party, mode)
                nothing_wrong(browser)
            print(f"check-browser: Chromium {browser.version} at {slug}: signed in by form_post and by query")
        for mode in ("form_post", "query"):
            cancels(browser, acme, mode)
        is_refused_at_once(browser, acme)
        signs_in_without_scripts(browser, globex)
        signs_out(browser, globex, stranger, tokens)
        nothing_wrong(browser)
        print("check-browser: cancelled, refused, signed in without scripts, signed out")
        permit(server, acme)
        signs_in_a_device(browser, acme, agree)
        refuses_a_device(browser, acme)
        nothing_wrong(browser)
        is_not_led_to_a_device(browser, acme, stranger)
        print("check-browser: signed in on a device, refused one, and not led to one by another site")
        shares_a_sign_in(browser, server, acme, Party(server, "acme", "web", web), SIGNED_OUT, agree, arrived)
        nothing_wrong(browser)
        print("check-browser: allowed an application of a third party, and signed out of all applications")
        asks_after_apple(browser, server, Party(server, "acme", "web", web), arrived)
        nothing_wrong(browser)
        print("check-browser: asked about an application of a third party after Apple's sheet, in four languages and without scripts")
        links_accounts(browser, server, acme, arrived)
        nothing_wrong(browser)
        print("check-browser: linked two Apple Accounts and one by mail, kept another one apart, and added one more")
        stays_at_the_application(browser, acme, stranger)
        withstands_what_is_planted(browser, acme, stranger, copy)
        cannot_be_framed(browser, acme)
        print("check-browser: the page withstands what is planted in it, and frames")
        is_not_led_away(browser, acme, stranger)
        print(f"check-browser: {show_text_as_text(browser, server, acme)} characters beside markup are text on every page")
        have_a_policy_on_disk(browser, server)
        fit_a_phone(browser, server)
        are_legible(browser, server, acme)
        print("check-browser: pages have their policy as files, fit 390 pixels, and have 4.5 to 1 of contrast in light and dark")
        number = speak_languages(browser, acme)
        print(f"check-browser: {number} pages in Arabic, German and Japanese fit 320 and 1280 pixels, are legible and work by keyboard")
        signs_in_through_the_page(browser, server, acme, Party(server, "acme", "spa", web), agree, arrived)
        nothing_wrong(browser)
        print("check-browser: signed in through the tenant's page, silently at a second application, and signed out of both")
        gives_a_name(browser, server, acme, arrived)
        nothing_wrong(browser)
        print("check-browser: gave a name that Apple did not share, in four languages, by keyboard and without scripts")
        explains_failures(browser, server, acme, agree, arrived)
        nothing_wrong(browser)
        print("check-browser: explained eight failures of a sign-in, each with the next step, by keyboard")
        number = manages_accounts(browser, server)
        nothing_wrong(browser)
        print(f"check-browser: {number} pages of people: invited, signed in by password, code and passkey, and from a terminal both ways")
        certificate = make_certificate(server.folder)
        with HTTPSServer(server, certificate) as https, WebApplication(TLSEnd(certificate)) as secure_web:
            party = Party(server, "acme", "web", secure_web, https)
            for mode in ("form_post", "query"):
                signs_in(browser, party, mode)
                cancels(browser, party, mode)
            permit(server, party)
            signs_in_a_device(browser, party, agree)
            nothing_wrong(browser)
        print("check-browser: signed in with https, from a site to another to a third")
        # One error is wanted: it tells an operator what the page about refused settings does not tell a user.
        complaints = [line for line in server.complaints() + https.complaints() if REFUSED not in line]
        for line in complaints:
            print(f"check-browser: the server logged an error: {line}", file=sys.stderr)
    print(f"check-browser: {time.monotonic() - start:.0f} s")
    sys.exit("check-browser: failed" if complaints else 0)


if __name__ == "__main__":
    main()
