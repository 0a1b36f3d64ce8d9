"""Writes the screenshots of the pages for people into docs/pictures: the sign-in page, the page of an error, the page that asks for a name,
the page about an application of a third party and the pages about a second Apple Account, with the brand of Acme in German, on a phone
and on a desktop. A person runs it after a change of the pages: script/python script/api/screenshots.py
"""

import base64
import pathlib

import requests

import consent_browser
from browser import Party, arrived
from chromium import Chromium
from dev_server import DevServer
from linking_browser import continues_as, mailed_link, make_person
from name_page import reaches_the_page
from sign_in_page import Tenant, shows_the_page
from web_application import WebApplication

PICTURES = pathlib.Path(__file__).parents[2] / "docs/pictures"
SIZES = {"phone": (390, 760, 2, "light"), "desktop": (1280, 720, 1, "dark")}


def save(browser, name):
    for device, (width, height, scale, scheme) in SIZES.items():
        browser.set_color_scheme(scheme)
        browser.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        (PICTURES / f"{name}-{device}.png").write_bytes(base64.b64decode(picture))
        print(f"screenshots: docs/pictures/{name}-{device}.png")


def asks_about_a_third_party(browser, server, tenant, web):
    partner = Party(server, "acme", "web", web)
    application = f"/applications/{partner.credentials['client_id']}"
    tenant.change({"name": "Reisebüro Nord", "is_third_party": True, "sign_in_page": "always"}, application)
    while requests.get(partner.authorization("query"), allow_redirects=False).status_code != 200:
        pass
    consent_browser.reaches_the_page(
        browser, partner, "query", make_person(server, "Maria Partner", "maria.partner@example.com"), ui_locales="de")
    save(browser, "consent-page")


def asks_about_accounts(browser, server, shop):
    first, second = [make_person(server, name, "maria.muster@example.com") for name in ("Maria Muster", "Maria Privat")]
    browser.open(shop.authorization("query", ui_locales="de"))
    continues_as(browser, first)
    token = shop.redeem(arrived(browser, shop, "query", "code"))["access_token"]
    browser.open(shop.authorization("query", ui_locales="de"))
    continues_as(browser, second)
    browser.expect_heading("Ein Konto mit dieser Adresse gibt es bereits")
    save(browser, "link-page")
    browser.click("main button[formaction*='/mail']")
    browser.expect_heading("Sehen Sie in Ihr Postfach")
    save(browser, "link-mail-page")
    browser.open(mailed_link(server))
    browser.expect_heading("Diesen Apple Account verbinden?")
    save(browser, "link-proof-page")
    asking = requests.post(
        f"{shop.issuer}/users/me/identities", headers={"Authorization": f"Bearer {token}"}, json={"redirect_uri": shop.redirect_uri})
    asking.raise_for_status()
    browser.open(f"{asking.json()['url']}&ui_locales=de")
    continues_as(browser, second)
    browser.expect_heading("Diesen Apple Account verbinden?")
    save(browser, "connect-page")


def main():
    with DevServer() as server, WebApplication() as web, Chromium(server.folder / "browser") as browser:
        tenant, shop = Tenant(server, "acme"), Party(server, "acme", "web", web)
        tenant.brand()
        tenant.change({"name": "Acme Shop"}, f"/applications/{shop.credentials['client_id']}")
        tenant.change({"login_url": "https://shop.acme.example/login"}, f"/applications/{shop.credentials['client_id']}")
        tenant.change({"sign_in_page": "always"})
        shows_the_page(browser, shop, ui_locales="de")
        while "Acme Shop" not in browser.text("h1") or not browser.run("return document.images.length > 1"):
            shows_the_page(browser, shop, ui_locales="de")
        save(browser, "sign-in-page")
        browser.open(shop.authorization("query", ui_locales="de", redirect_uri="https://elsewhere.example/callback"))
        save(browser, "error-page")
        tenant.change({"requires_name": True, "sign_in_page": "on_request"}, f"/applications/{shop.credentials['client_id']}")
        while requests.get(shop.authorization("query"), allow_redirects=False).status_code != 302:
            pass
        reaches_the_page(browser, shop, "query", ui_locales="de")
        save(browser, "name-page")
        tenant.change({"requires_name": False}, f"/applications/{shop.credentials['client_id']}")
        asks_about_accounts(browser, server, shop)
        asks_about_a_third_party(browser, server, tenant, web)


if __name__ == "__main__":
    main()
