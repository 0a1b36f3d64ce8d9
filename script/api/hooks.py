"""What schemathesis needs to know to get far into our API: which tenants and things there are, and what it must leave alone.

Loaded by schemathesis, once a run. Data that it made valid on purpose is led to things that exist; data that it spoiled on
purpose is sent as it is.
"""

import atexit
import base64
import hashlib
import hmac
import json
import os
import random
import re
import time
import uuid
from collections import defaultdict
from urllib.parse import parse_qs, urlsplit

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import is_unexpected_http_status_case
from schemathesis.specs.openapi.coverage import _schema

SETTINGS = json.loads(os.environ["ESPALIER_CHECK_SETTINGS"])
# Not hypothesis's own chance: what is replaced here is no part of what it shrinks.
chance = random.Random(int(os.environ["ESPALIER_CHECK_SEED"]))

# Texts of this length that match the pattern of an address are never found, and the search takes seconds for each operation.
_schema.MAX_GENERATED_PATTERN_LENGTH = 1000

# What an operation does to the thing in its path. These get things of which nothing else depends.
DESTROYS = re.compile("^(delete|revoke|retire|roll|update|suspend|promote|activate)")
OF_TENANT = re.compile("^(delete|suspend|resume|restore|update)Tenant$|^revokeAllSessions$")


# A picture of each type: one pixel, and a circle.
LOGOS = {
    "image/png": base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="),
    "image/svg+xml": b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>'}

# The pages and forms of the own account that leave the session to the others. Each form has the same token.
OF_ACCOUNT = {
    "showAccount", "showName", "showEmail", "showPassword", "showTOTP", "showNewTOTP", "showRecoveryCodes", "listPasskeys", "showNewPasskey",
    "listOwnSessions", "listOwnAPIKeys", "changeName", "renewRecoveryCodes", "endOtherSessions"}
# The steps of a device's user, after the first page.
DECIDES_ON_DEVICE = {"showDevice", "signInForDevice", "reviewDevice", "approveDevice", "refuseDevice"}


class World:
    """What is known of the server's things: of each kind, the path parameters that lead to one."""

    def __init__(self):
        self.things = defaultdict(list)
        self.protected = set(SETTINGS["protected"])
        self.spare_tenants = list(SETTINGS["spare_tenants"])
        self.refresh_token = SETTINGS["refresh_token"]
        # The path parameters of the current logos.
        self.logos = {}
        self.apple_keys = dict(SETTINGS["apple_keys"])
        self.states = {}
        # The client IDs of applications that registered themselves.
        self.registered = []
        # The cookies of a person who is signed in, and the token of that person's forms.
        self.person = None
        self.statuses = defaultdict(lambda: defaultdict(int))

    def may_end(self, action):
        """A few of each: what is gone can't be shown, changed or ended by another operation."""
        return sum(count for status, count in self.statuses[action].items() if 200 <= status < 300) < 4

    def learn(self, value, path):
        """Finds things in an answer: each says by `object` what it is, and stands in the one that it belongs to."""
        if isinstance(value, list):
            for element in value:
                self.learn(element, path)
        elif isinstance(value, dict):
            kind, id = value.get("object"), value.get("id")
            if kind == "branding" and value.get("logo"):
                # The address says whose it is.
                slug, _, hash = value["logo"]["url"].split("/")[-3:]
                self.logos[slug] = hash
            # The audit trail has what was changed of one, without the rest.
            if kind == "tenant" and "slug" in value:
                path = {**path, "tenant": value["slug"]}
                if value["slug"] not in SETTINGS["tenants"] and value["slug"] not in self.spare_tenants:
                    self.spare_tenants.append(value["slug"])
            elif isinstance(kind, str) and isinstance(id, str):
                path = {**path, kind: id}
                self.states[id] = value.get("state", "") + ("" if "proven_at" in value else " unproven")
                known = self.things[kind]
                if path not in known:
                    known.append(path)
                    del known[:-30]
            for member in value.values():
                self.learn(member, path)

    def forget(self, id):
        for kind, known in self.things.items():
            self.things[kind] = [path for path in known if id not in path.values()]

    def lead(self, operation, names):
        """Path parameters of a thing that exists, as the operation's path needs them; None when there is none."""
        action = operation.definition.raw["operationId"]
        inner = [name for name in names if name != "tenant"]
        if not inner:
            if OF_TENANT.match(action) and self.spare_tenants:
                return {"tenant": chance.choice(self.spare_tenants[-5:])}
            return {"tenant": chance.choice(SETTINGS["tenants"])}
        found = [path for path in self.things_of(inner[-1]) if "tenant" not in names or "tenant" in path]
        if "tenant" not in names:
            found = [path for path in found if "tenant" not in path]
        if DESTROYS.match(action):
            found = [path for path in found if self.value(path, inner[-1]) not in self.protected]
            if re.match("^(delete|revoke|retire)", action) and not self.may_end(action):
                return None
        # There are many keys that Apple has never heard of.
        if re.match("^promote.*AppleKey$", action):
            found = [path for path in found if self.states.get(self.value(path, "appleKey")) == "next"] or found
        found = [path for path in found if all(self.value(path, name) for name in inner)]
        if not found:
            return {"tenant": chance.choice(SETTINGS["tenants"])} if "tenant" in names else None
        path = chance.choice(found)
        return {name: path["tenant"] if name == "tenant" else self.value(path, name) for name in names}

    def things_of(self, name):
        kind = snake(name)
        return [path for each, known in self.things.items() if each == kind or each.endswith("_" + kind) for path in known]

    @staticmethod
    def value(path, name):
        kind = snake(name)
        return next((id for each, id in path.items() if each == kind or each.endswith("_" + kind)), None)


def snake(name):
    return re.sub("([A-Z])", lambda match: "_" + match[1].lower(), name)


world = World()


def is_valid(case, location):
    """Whether schemathesis made this part of the request to be accepted."""
    meta = case._meta
    if meta is None:
        return True
    component = meta.components.get(location)
    return component is None or component.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    # Apple's pages are Apple's, and an application's are its own.
    kwargs["allow_redirects"] = False
    operation = case.operation
    action = operation.definition.raw["operationId"]
    valid = {location: is_valid(case, location) for location in ParameterLocation}
    path = dict(case.path_parameters or {})
    if path and valid[ParameterLocation.PATH]:
        led = world.lead(operation, list(path))
        # Now and then a thing that does not exist.
        if led and chance.random() < 0.9:
            path |= led
    if DESTROYS.match(action):
        # schemathesis also takes IDs from earlier responses, and its parameters have any order.
        for name, id in path.items():
            if str(id).lower() in world.protected:
                path[name] = re.sub("_.*", "_" + "0" * 26, id)
    if OF_TENANT.match(action) and path.get("tenant") not in world.spare_tenants:
        # None of those that the run lives on, spelled however.
        path["tenant"] = "no-such-tenant"
    if action == "deleteOwnUser" and not all(world.statuses[each][200] for each in ("userInfo", "userInfoByPost")):
        # Whose access token it is has to be there for these two first.
        path["tenant"] = "globex"
    if action == "mushuUser":
        # Mushu's clients expect 422 for a missing token, and the check 401. An application that does not exist gets 404 before both.
        path["client_id"] = "app_" + "0" * 26
    if action.endswith("RegisteredClient") and valid[ParameterLocation.PATH]:
        # The client whose token this is. It has to be there for the other two first.
        path |= {"tenant": "acme", "client_id": SETTINGS["registered_client"]}
        if action == "deleteRegisteredClient" and not all(world.statuses[each][200] for each in ("getRegisteredClient", "updateRegisteredClient")):
            path["tenant"] = "globex"
        if isinstance(case.body, dict) and "client_id" in case.body:
            case.body["client_id"] = SETTINGS["registered_client"]
            case.body.pop("client_secret", None)
    if action.endswith("ApplicationRegistration") and valid[ParameterLocation.PATH] and world.registered:
        path |= {"tenant": "acme", "application": world.registered.pop() if action.startswith("end") else world.registered[-1]}
    if action == "registerClient" and valid[ParameterLocation.PATH]:
        path["tenant"] = "acme"
    if action == "getLogo" and valid[ParameterLocation.PATH] and world.logos:
        slug, hash = chance.choice(sorted(world.logos.items()))
        path |= {"tenant": slug, "hash": hash}
    if action == "setLogo" and valid[ParameterLocation.BODY]:
        # Of generated bytes, almost none are a picture.
        case.body = LOGOS[case.media_type]
    if path != (case.path_parameters or {}):
        case.path_parameters = path
    if valid[ParameterLocation.QUERY] and case.query is not None:
        if "confirm" in case.query:
            case.query["confirm"] = path["tenant"]
        if "client_id" in case.query:
            application = SETTINGS["applications"].get(path.get("tenant"), SETTINGS["applications"]["acme"])
            case.query |= {name: application[name] for name in ("client_id", "redirect_uri")}
        if action == "listenWebhooks":
            # A stream lasts 15 minutes otherwise.
            case.query["seconds"] = 1
        # The response of a push has a real one, of another application.
        case.query.pop("request_uri", None)
        lead_target(case.query, path)
        # What one parameter allows may depend on another, which no schema can say.
        if {"from", "to"} & set(case.query):
            case.query |= {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"}
        if {"after", "before"} <= set(case.query):
            del case.query["before"]
        if action == "logout" and valid[ParameterLocation.PATH]:
            sign_out(case, path, case.query)
    if valid[ParameterLocation.HEADER] and case.headers is not None:
        # No generated text is a proof.
        case.headers.pop("DPoP", None)
        if "If-Match" in case.headers:
            case.headers["If-Match"] = "*"
        if "Idempotency-Key" in case.headers:
            case.headers["Idempotency-Key"] = str(uuid.UUID(int=chance.getrandbits(128)))
    if action in DECIDES_ON_DEVICE and all(valid.values()):
        lead_device(case, action, path)
    if "account" in operation.definition.raw["tags"] and all(valid.values()):
        lead_account(case, action)
    if valid[ParameterLocation.BODY] and isinstance(case.body, dict):
        if action in ("appleCallback", "sharedAppleCallback") and path.get("tenant", "globex") in SETTINGS["applications"]:
            cancel_at_apple(case, path.get("tenant", "globex"))
        if action in ("createAPI", "updateAPI"):
            # No schema says that an application occurs once, and that its scopes are those of the API.
            case.body.pop("applications", None)
        else:
            lead_target(case.body, path)
        if action == "createDomain":
            # The pattern of the schema also has names that no host has.
            case.body["host"] = f"login-{chance.getrandbits(32):08x}.customer.example"
        if action == "createSSODomain":
            case.body["domain"] = f"mail-{chance.getrandbits(32):08x}.customer.example"
        if action == "setSSO":
            # No pattern describes a URL, and no provider has signed anybody in.
            case.body |= {"issuer": "https://login.customer.example", "client_secret": "secret"}
        if action == "authorizeByPost":
            case.body.pop("request_uri", None)
            application = SETTINGS["applications"].get(path.get("tenant"), SETTINGS["applications"]["acme"])
            case.body |= {name: application[name] for name in ("client_id", "redirect_uri")}
        if action == "pushAuthorizationRequest" and valid[ParameterLocation.PATH]:
            case.path_parameters = path | {"tenant": "acme"}
            for name in ("client_assertion", "client_assertion_type"):
                case.body.pop(name, None)
            case.body |= SETTINGS["client"] | {"redirect_uri": SETTINGS["applications"]["acme"]["redirect_uri"]}
        if action in ("introspect", "revokeToken") and valid[ParameterLocation.PATH]:
            # The token of a login to spare: a revocation ends it.
            case.path_parameters = path | {"tenant": "acme"}
            case.body = SETTINGS["client"] | {"token": SETTINGS["spare_login"]["refresh_token"]}
        if action == "logoutByPost" and valid[ParameterLocation.PATH]:
            sign_out(case, path, case.body)
        if (action.startswith("receive") or action == "mushuNotification") and valid[ParameterLocation.PATH]:
            tell(case, path)
        if action == "userInfoByPost":
            # It stands in the header already.
            case.body.pop("access_token", None)
        if action == "authorizeDevice" and valid[ParameterLocation.PATH]:
            case.path_parameters = path | {"tenant": "acme"}
            lead_target(case.body, {"tenant": "acme"})
            case.body = {name: case.body[name] for name in {"scope", "resource"} & set(case.body)} | SETTINGS["client"]
        if action == "token":
            case.body |= SETTINGS["client"]
            if case.body.get("grant_type") == "refresh_token":
                case.body["refresh_token"] = world.refresh_token
                case.body.pop("scope", None)
        # Of texts that look like an Apple key, almost none is one.
        if "private_key" in case.body:
            case.body["private_key"] = SETTINGS["private_key"]
            if action in world.apple_keys and chance.random() < 0.5:
                # One that the simulator knows, for a connection that is there from the start.
                case.body |= world.apple_keys[action]
                if "connection" in path:
                    case.path_parameters = path | {"tenant": "acme", "connection": SETTINGS["connection"]}
        # Those that are there from the start stay what Apple knows.
        if action == "updatePlatformConnection":
            case.body.pop("services_id", None)
        if action == "activateConnection" and chance.random() < 0.5:
            case.path_parameters = path | {"tenant": "acme", "connection": SETTINGS["connection"]}
            case.body["existing_users"] = "new_users"
            case.body.pop("relink_days", None)
        if action == "registerApplication" and case.body.get("kind") != "web":
            # Only a web application may have `false` here, and a machine no `true` below. Generators of clients do not understand a schema
            # that excludes it.
            case.body.pop("requires_pkce", None)
            if case.body.get("kind") == "machine":
                case.body.pop("requires_offline_access", None)
                case.body.pop("requires_pushed_requests", None)
        if action in ("registerApplication", "updateApplication"):
            # Of generated keys, almost none is a point of the curve.
            for name in ("token_endpoint_auth_method", "jwks", "jwks_uri"):
                case.body.pop(name, None)
        if action in ("registerApplication", "updateApplication", "registerClient", "updateRegisteredClient"):
            development_uris(case.body)
            frontchannel_logout(case.body)
        if action == "registerApplication" and case.body.get("kind") in ("web", "machine"):
            case.body.pop("returns_tokens_in_url", None)
        if action == "registerApplication" and case.body.get("kind") in ("spa", "machine"):
            case.body.pop("allows_device_grant", None)
        if (action == "createWebhook" and case.body.get("format") == "workos") or (action == "updateWebhook" and "events" in case.body):
            # The format of the webhook in the path is unknown here. WorkOS's has only these events.
            shared = ("user.created", "user.deleted", "session.revoked")
            case.body["events"] = [each for each in case.body["events"] if each in shared] or ["user.created"]
        if case.body.get("team_id") and case.body.get("team_id") == case.body.get("key_id"):
            case.body["key_id"] = "K1B2C3D4E5"
        if "expires_at" in case.body:
            # An initial access token is for up to 90 days, and an invitation for up to 30.
            is_short = action in ("issueInitialAccessToken", "createInvitation")
            case.body["expires_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400)) if is_short else "2099-01-01T00:00:00Z"
        if action == "startSupportAccess" and isinstance(case.body.get("reason"), str):
            # A generated text may have invisible characters.
            case.body["reason"] = "Ticket 4711: sign-ins fail."
        if action in ("createInvitation", "createOperator"):
            # An address has one open invitation, and almost no generated text is an address.
            case.body["email"] = f"person-{chance.getrandbits(32):08x}@example.com"
        if action in ("createInvitation", "updateMember") and "role" in case.body:
            # Of generated IDs, none is a role of the tenant.
            case.body["role"] = chance.choice(["owner", "admin", "developer", "billing", "viewer"])


def frontchannel_logout(body):
    """Leaves an address for front-channel logout only if a redirect URI has its origin."""
    uris = body.get("redirect_uris")
    https = [uri for uri in uris if str(uri).startswith("https://")] if isinstance(uris, list) else []
    if body.get("frontchannel_logout_uri"):
        body["frontchannel_logout_uri"] = https[0] if https and body.get("kind") != "machine" else None


def development_uris(body):
    """Leaves no URI for development, because a name of one may be reserved, and only some applications may have them."""
    for name in ("redirect_uris", "logout_uris", "post_logout_redirect_uris"):
        if isinstance(body.get(name), list):
            body[name] = [
                uri if not re.match(r"https://\*|(?!https?://)[^.]*:", str(uri)) else f"https://app.test/{number}"
                for number, uri in enumerate(body[name])]
    if body.get("kind") == "machine":
        body.pop("allows_development_uris", None)


def lead_target(parameters, path):
    """The target of access tokens that every application has is the issuer. It knows only the scopes of OpenID Connect."""
    slug = path.get("tenant", "acme")
    for name in {"resource", "audience"} & set(parameters):
        parameters[name] = [f"{SETTINGS['base_url']}/t/{slug}"]
    if "scope" in parameters:
        parameters["scope"] = chance.choice(["openid", "openid profile", "email", "openid offline_access"])


def cancel_at_apple(case, slug):
    """Makes it the answer to a sign-in that was begun, and given up at Apple: only we can seal a `state`."""
    application = SETTINGS["applications"][slug]
    begun = requests.get(f"{SETTINGS['base_url']}/auth/apple/authorize", allow_redirects=False, params={
        "client_id": application["client_id"], "redirect_uri": application["redirect_uri"], "code_challenge": "x" * 43,
        "code_challenge_method": "S256"})
    case.cookies = begun.cookies.get_dict()
    case.body = {"state": parse_qs(urlsplit(begun.headers["Location"]).query)["state"][0], "error": "user_cancelled_authorize"}


def lead_account(case, action):
    """Makes it a step after a page that a browser has opened: only we can make the token of a form, and an account begins with an
    invitation."""
    account = f"{SETTINGS['base_url']}/account"
    if action in OF_ACCOUNT:
        world.person = world.person or register(account)
        case.cookies, token = world.person
        if isinstance(case.body, dict):
            case.body["csrf"] = token
    elif action in ("signIn", "signInWithPassword"):
        page = requests.get(f"{account}/sign-in")
        case.cookies = page.cookies.get_dict()
        case.body |= {"csrf": hidden(page, "csrf"), "email": "nobody@example.com"}
    elif action in ("showInvitation", "acceptInvitation", "showAuthenticator", "confirmAuthenticator"):
        browser, form = invited(account)
        if action == "showInvitation":
            case.query = {"token": form["token"]}
        elif action == "acceptInvitation":
            case.body = form
        else:
            browser.post(f"{account}/invitation", data=form, allow_redirects=False)
            if action == "confirmAuthenticator":
                case.body = first_code(browser.get(f"{account}/sign-in/authenticator"))
        case.cookies = browser.cookies.get_dict()


def invited(account):
    """A browser with the page of an invitation to Acme, and its form."""
    made = requests.post(
        f"{SETTINGS['base_url']}/v1/tenants/acme/invitations", headers={"Authorization": f"Bearer {os.environ['ESPALIER_CHECK_API_KEY']}"},
        json={"email": f"person-{chance.getrandbits(32):08x}@example.com", "role": "viewer", "send_mail": False})
    browser = requests.Session()
    page = browser.get(made.json().get("url", f"{account}/invitation"))
    form = {name: hidden(page, name) for name in ("csrf", "token")}
    return browser, form | {"name": "Katherine Johnson", "password": "correct horse battery staple"}


def register(account):
    """The cookies of a person who has accepted an invitation, and the token of that person's forms."""
    browser, form = invited(account)
    page = browser.post(f"{account}/invitation", data=form)
    browser.post(f"{account}/sign-in/authenticator", data=first_code(page))
    return browser.cookies.get_dict(), hidden(browser.get(account), "csrf")


def first_code(page):
    """The form with the code for the key that a page shows (RFC 6238)."""
    key = re.search("<bdi>([A-Z2-7 ]{39})</bdi>", page.text)
    mac = hmac.new(base64.b32decode(key[1].replace(" ", "") if key else ""), int(time.time() / 30).to_bytes(8, "big"), hashlib.sha1).digest()
    place = mac[-1] & 0xF
    return {"csrf": hidden(page, "csrf"), "code": f"{(int.from_bytes(mac[place:place + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"}


def hidden(page, name):
    found = re.search(f'name="{name}" value="([^"]*)"', page.text)
    return found[1] if found else "none"


def lead_device(case, action, path):
    """Makes it a step of the user of a device that has asked: only we can make a user code and a ticket. An approval needs a login at
    Apple, too."""
    issuer = f"{SETTINGS['base_url']}/t/acme"
    case.path_parameters = path | {"tenant": "acme"}
    codes = requests.post(f"{issuer}/oauth2/device_authorization", data=SETTINGS["client"]).json()
    form = {"user_code": codes["user_code"]}
    if action == "showDevice":
        case.body = form
        return
    shown = requests.post(f"{issuer}/device", data=form)
    case.cookies, ticket = shown.cookies.get_dict(), re.search('name="ticket" value="([^"]*)"', shown.text)[1]
    if action in ("approveDevice", "refuseDevice"):
        case.body = {"ticket": ticket}
    else:
        case.query = {"ticket": ticket} if action == "signInForDevice" else {"state": ticket, "error": "access_denied"}


def sign_out(case, path, parameters):
    """Makes it the logout of a login to spare: only we can sign an id_token."""
    case.path_parameters = path | {"tenant": "acme"}
    parameters.pop("client_id", None)
    parameters["id_token_hint"] = SETTINGS["spare_login"]["id_token"]


def tell(case, path):
    """Makes it a notification that Apple has signed, of something that we know nothing about."""
    is_own = "tenant" in path
    if is_own:
        case.path_parameters = path | {"tenant": "acme"}
    now = int(time.time())
    claims = {
        "iss": "https://appleid.apple.com", "aud": "com.example.acme.web" if is_own else "com.example.espalier.web", "iat": now,
        "jti": str(uuid.UUID(int=chance.getrandbits(128))), "events": json.dumps({"type": "news", "event_time": now * 1000})}
    signed = requests.post(f"{SETTINGS['simulator_url']}/simulator/notifications/sign", json=claims)
    case.body = signed.json()


@schemathesis.hook
def after_call(context, case, response):
    if is_unexpected_http_status_case(case):
        return
    action = case.operation.definition.raw["operationId"]
    world.statuses[action][response.status_code] += 1
    if not 200 <= response.status_code < 300:
        return
    path = case.path_parameters or {}
    if case.method.upper() == "DELETE":
        # Of `…/tenants/{tenant}/usage-sink-customer` the tenant is still there.
        if case.operation.path.endswith("}"):
            world.forget(path[list(path)[-1]])
    elif response.content:
        try:
            value = response.json()
        except ValueError:
            return
        if action == "token" and "refresh_token" in value:
            world.refresh_token = value["refresh_token"]
        if action == "registerClient":
            world.registered.append(value["client_id"])
        known = {snake(name): id for name, id in path.items()}
        # In a path it is called by half its name.
        for half, whole in (("secret", "application_secret"), ("delivery", "webhook_delivery")):
            if half in known:
                known[whole] = known.pop(half)
        if known.get("tenant", "").startswith("tenant_"):
            del known["tenant"]
        world.learn(value, known)


@schemathesis.check
def described_status(ctx, response, case):
    """Every answer's status is described by name: `default` stands for what should never be."""
    if is_unexpected_http_status_case(case):
        return None
    described = [str(status) for status in case.operation.definition.raw["responses"]]
    if str(response.status_code) not in described and response.status_code < 500:
        raise AssertionError(f"{response.status_code} is not described; {', '.join(described)} are")
    return None


@atexit.register
def report():
    with open(os.environ["ESPALIER_CHECK_REPORT"], "w", encoding="utf-8") as file:
        json.dump(world.statuses, file)
