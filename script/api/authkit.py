"""Signs users in through WorkOS's library, unchanged except for its `base_url`, against a server of its own.

An application with an API key and a public one go through every operation of docs/moving-from-workos.md: login, sealed session, refresh,
logout, users, sessions, organizations, API keys, events, webhook endpoints and each failure. What is done here by hand is what a browser
and Apple's page do. `Tests/StoryTests` runs this script, too.
"""

import queue
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx2
import requests
from cryptography.fernet import Fernet
from workos import WorkOSClient
from workos._errors import AuthenticationError, BadRequestError, ConflictError, NotFoundError, UnprocessableEntityError
from workos.session import seal_session_from_auth_response

from dev_server import DevServer, through_apple
from device_clients import decide

PERSON = "Ada Lovelace"
RETURN_TO = "https://app.example.com/bye"


class LosesFirstResponse(httpx2.BaseTransport):
    """The request arrives, and its response does not. The library sends it again."""

    def __init__(self):
        self.inner, self.requests = httpx2.HTTPTransport(), 0

    def handle_request(self, request):
        response = self.inner.handle_request(request)
        self.requests += 1
        if self.requests > 1:
            return response
        response.read()
        raise httpx2.ReadError("the connection was lost", request=request)


class Receiver:
    """An application's endpoint for webhooks. Its first response is a failure, so each event has a retry."""

    def __enter__(self):
        self.received = received = queue.Queue()
        answers = iter([500])

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put((body, self.headers["WorkOS-Signature"]))
                self.send_response(next(answers, 204))
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhooks"
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def next(self):
        return self.received.get(timeout=60)


def expect(raised_as, run, **members):
    """The library raises this error, with these members."""
    try:
        run()
    except raised_as as raised:
        found = {name: getattr(raised, name) for name in members}
        assert found == members, f"{found} instead of {members}"
        assert raised.request_id, "an error has no request ID"
        return
    raise AssertionError(f"no {raised_as.__name__}")


def code_in(back, state=None):
    answer = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    assert "code" in answer and (state is None or answer["state"] == state), back
    return answer["code"]


def register(server, tenant):
    """Registers an application as docs/moving-from-workos.md describes it."""
    answer = requests.post(
        f"{server.settings['base_url']}/v1/tenants/{tenant['slug']}/applications",
        headers={"Authorization": f"Bearer {tenant['api_key']}"},
        json={
            "name": "AuthKit", "kind": "web", "redirect_uris": ["https://app.example.com/callback"], "logout_uris": [RETURN_TO],
            "requires_pkce": False, "allows_device_grant": True})
    answer.raise_for_status()
    return "client_" + answer.json()["id"].removeprefix("app_")


class Application:
    def __init__(self, server, tenant):
        self.server, self.tenant, self.base_url = server, tenant, server.settings["base_url"]
        self.client_id = register(server, tenant)
        self.workos = self.client()
        self.users = self.workos.user_management

    def client(self, api_key=None, **options):
        return WorkOSClient(
            api_key=api_key or self.tenant["api_key"], client_id=self.client_id, base_url=self.base_url,
            jwt_issuer=f"{self.base_url}/user_management/{self.client_id}", **options)

    def code(self, person=PERSON):
        url = self.users.get_authorization_url(provider="authkit", redirect_uri="https://app.example.com/callback", state="a b+c")
        return code_in(through_apple(url, person), "a b+c")

    def login(self, person=PERSON):
        return self.users.authenticate_with_code(code=self.code(person))

    # -- The steps

    def sign_in(self):
        answer = self.login()
        assert answer.user.first_name == "Ada" and answer.user.last_name == "Lovelace" and answer.user.email_verified is True
        assert answer.organization_id.startswith("org_") and answer.authentication_method.value == "AppleOAuth"
        assert answer.impersonator is None and answer.user.last_sign_in_at
        keys = self.users.get_jwks(self.client_id).keys
        assert keys and all(key.x_5_c and key.x_5_t_s_256 for key in keys)
        refreshed = self.users.authenticate_with_refresh_token(refresh_token=answer.refresh_token)
        assert refreshed.refresh_token != answer.refresh_token and refreshed.user == answer.user
        by_provider = self.users.get_authorization_url(
            provider="AppleOAuth", redirect_uri="https://app.example.com/callback", organization_id=answer.organization_id,
            login_hint="ada@example.com")
        assert self.users.authenticate_with_code(code=code_in(through_apple(by_provider))).user.id != answer.user.id

    def seal(self):
        answer, password = self.login(), Fernet.generate_key().decode()
        sealed = seal_session_from_auth_response(
            access_token=answer.access_token, refresh_token=answer.refresh_token, user=answer.user.to_dict(), cookie_password=password)
        session = self.users.load_sealed_session(session_data=sealed, cookie_password=password)
        found = session.authenticate()
        assert found.authenticated, found.reason
        assert found.organization_id == answer.organization_id and found.role == "member" and found.permissions == []
        refreshed = session.refresh()
        assert refreshed.authenticated, refreshed.reason
        assert refreshed.session_id == found.session_id and refreshed.sealed_session != sealed
        renewed = self.users.load_sealed_session(session_data=refreshed.sealed_session, cookie_password=password)
        assert renewed.authenticate().authenticated
        assert renewed.refresh(organization_id=answer.organization_id).authenticated
        left = requests.get(renewed.get_logout_url(return_to=RETURN_TO), allow_redirects=False)
        assert left.status_code == 303 and left.headers["Location"] == RETURN_TO, left.text
        ended = renewed.refresh()
        assert not ended.authenticated and "invalid_grant" in str(ended.reason), ended
        assert requests.get(renewed.get_logout_url(return_to="https://evil.example.com/"), allow_redirects=False).status_code == 400

    def retry(self):
        transport = LosesFirstResponse()
        client = self.client(http_client=httpx2.Client(transport=transport))
        answer = client.user_management.authenticate_with_code(code=self.code())
        assert transport.requests == 2, transport.requests
        assert self.users.authenticate_with_refresh_token(refresh_token=answer.refresh_token).user == answer.user

    def manage(self):
        answer = self.login()
        user = answer.user.id
        assert self.users.get_user(user) == answer.user
        found = {each.id: each for each in self.users.list_users(limit=1).auto_paging_iter()}
        assert found[user] == answer.user and len(found) >= 2
        oldest_first = list(self.users.list_users(limit=2, order="asc").auto_paging_iter())
        assert [each.id for each in oldest_first] == list(reversed(found))
        assert [each.id for each in self.users.list_users(email=answer.user.email)] == [user]
        changed = self.users.update_user(user, external_id="4711", metadata={"plan": "gold"})
        assert changed.external_id == "4711" and changed.metadata == {"plan": "gold"}
        assert self.users.get_user_by_external_id("4711") == changed
        identity, = self.users.get_user_identities(user)
        assert identity.provider.value == "AppleOAuth" and identity.idp_id
        session = next(iter(self.users.list_sessions(user)))
        assert session.status == "active" and session.user_id == user and session.organization_id == answer.organization_id
        self.users.revoke_session(session_id=session.id)
        assert session.id not in [each.id for each in self.users.list_sessions(user)]
        expect(BadRequestError, lambda: self.users.authenticate_with_refresh_token(refresh_token=answer.refresh_token), error="invalid_grant")
        self.users.delete_user(user)
        expect(NotFoundError, lambda: self.users.get_user(user), code="entity_not_found")

    def organize(self):
        answer = self.login("Grace Hopper")
        organization, = self.workos.organizations.list_organizations()
        assert organization.id == answer.organization_id and organization.external_id == self.tenant["slug"]
        assert self.workos.organizations.get_organization(organization.id) == organization
        assert self.workos.organizations.get_organization_by_external_id(self.tenant["slug"]) == organization
        memberships = self.workos.organization_membership
        membership, = memberships.list_organization_memberships(user_id=answer.user.id)
        assert membership.role.slug == "member" and membership.status == "active" and membership.user.id == answer.user.id
        assert memberships.get_organization_membership(membership.id) == membership
        assert membership in list(memberships.list_organization_memberships(organization_id=organization.id).auto_paging_iter())
        keys = self.workos.api_keys
        issued = keys.create_organization_api_key(organization.id, name="Reader", permissions=["users:read"])
        assert keys.create_validation(value=issued.value).api_key.id == issued.id
        assert issued.id in [each.id for each in keys.list_organization_api_keys(organization.id).auto_paging_iter()]
        assert self.client(api_key=issued.value).user_management.get_user(answer.user.id).id == answer.user.id
        keys.delete_api_key(issued.id)
        assert keys.create_validation(value=issued.value).api_key is None

    def events(self):
        """The list of events, and the same events at an endpoint, verified by the library."""
        users, webhooks = self.users, self.workos.webhooks
        with Receiver() as receiver:
            endpoint = webhooks.create_webhook_endpoint(endpoint_url=receiver.url, events=["user.created", "user.deleted", "session.revoked"])
            assert endpoint.id.startswith("we_") and endpoint.status.value == "enabled"
            assert endpoint.id in [each.id for each in webhooks.list_webhook_endpoints().auto_paging_iter()]
            answer = self.login("new")

            def verified(secret=endpoint.secret):
                body, signature = receiver.next()
                return webhooks.verify_event(event_body=body, event_signature=signature, secret=secret), body, signature

            # Its first delivery fails.
            created, body, signature = verified()
            again, _, second = verified()
            assert created.event == "user.created" and created.data.id == answer.user.id and created.data.email == answer.user.email, created
            assert again.id == created.id and again.data.id == created.data.id and second != signature
            for secret, text in [(endpoint.secret + "x", body), (endpoint.secret, body + b" ")]:
                try:
                    webhooks.verify_event(event_body=text, event_signature=signature, secret=secret)
                except ValueError:
                    continue
                raise AssertionError("a forged event passed")

            session = next(iter(users.list_sessions(answer.user.id)))
            users.revoke_session(session_id=session.id)
            revoked, *_ = verified()
            assert revoked.event == "session.revoked" and revoked.data.id == session.id and revoked.data.status == "revoked", revoked
            assert [each for each in self.settled(["session.revoked"], revoked.id) if each.id == revoked.id] == [revoked]
            users.delete_user(answer.user.id)
            deleted, *_ = verified()
            assert deleted.event == "user.deleted" and deleted.data.id == answer.user.id and deleted.data.email is None, deleted

            changed = webhooks.update_webhook_endpoint(endpoint.id, events=["user.created"], status="disabled")
            assert changed.events == ["user.created"] and changed.status.value == "disabled" and changed.secret is None
            expect(UnprocessableEntityError, lambda: webhooks.update_webhook_endpoint(endpoint.id, events=["dsync.activated"]),
                   code="invalid_request_parameters")
            webhooks.delete_webhook_endpoint(endpoint.id)
            expect(NotFoundError, lambda: webhooks.delete_webhook_endpoint(endpoint.id), code="entity_not_found")

        types = ["user.created", "user.updated", "user.deleted", "session.created", "session.revoked", "authentication.oauth_succeeded"]
        listed = self.settled(types, deleted.id)
        assert [each.id for each in listed] == sorted(each.id for each in listed) and len({each.id for each in listed}) == len(listed)
        # The ends of a deleted user's sessions are gone. Every other type is there.
        assert {each.event for each in listed} == set(types) - {"session.revoked"}, listed
        signed_in = [each.data for each in listed if each.event == "authentication.oauth_succeeded"]
        assert signed_in and all(each.status == "succeeded" and each.provider == "AppleOAuth" for each in signed_in)
        assert all(each.data.status == "active" for each in listed if each.event == "session.created")
        organization = self.workos.organizations.list_organizations().data[0].id
        assert list(self.workos.events.list_events(events=types, organization_id=organization, limit=100).auto_paging_iter()) == listed
        future = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        assert list(self.workos.events.list_events(events=types, range_start=future)) == []
        assert list(self.workos.events.list_events(events=["dsync.user.created"])) == []
        expect(UnprocessableEntityError, lambda: self.workos.events.list_events(events=types, after="event_x"),
               code="invalid_request_parameters")

    def settled(self, types, last):
        """All events, in small pages, from the time when the newest one is in the list. A server waits for late transactions."""
        deadline = time.monotonic() + 60
        while True:
            listed = list(self.workos.events.list_events(events=types, limit=3).auto_paging_iter())
            if last in [each.id for each in listed] or time.monotonic() > deadline:
                return listed
            time.sleep(0.2)

    def expire(self):
        keys, organization = self.workos.api_keys, self.workos.organizations.list_organizations().data[0].id
        issued = keys.create_organization_api_key(organization, name="Short", permissions=["users:read"])
        later = datetime.now(timezone.utc) + timedelta(days=1)
        text = later.strftime("%Y-%m-%dT%H:%M:%SZ")
        assert keys.create_api_key_expire(issued.id, expires_at=text).expires_at == later.replace(microsecond=0)
        assert keys.create_validation(value=issued.value).api_key.id == issued.id
        expect(ConflictError, lambda: keys.create_api_key_expire(issued.id, expires_at=None), code="conflict")
        assert keys.create_api_key_expire(issued.id).expires_at <= datetime.now(timezone.utc)
        assert keys.create_validation(value=issued.value).api_key is None

    def device(self):
        codes = self.users.create_device(client_id=self.client_id)
        expect(
            BadRequestError, lambda: self.users.authenticate_with_device_code(device_code=codes.device_code), error="authorization_pending")
        expect(BadRequestError, lambda: self.users.authenticate_with_device_code(device_code=codes.device_code), error="slow_down")
        decide(codes.verification_uri, codes.user_code, "approval", PERSON)
        time.sleep(2 * codes.interval)
        answer = self.users.authenticate_with_device_code(device_code=codes.device_code)
        assert answer.user.first_name == "Ada" and answer.authentication_method.value == "AppleOAuth"
        assert self.users.authenticate_with_refresh_token(refresh_token=answer.refresh_token).user == answer.user
        refused = self.users.create_device(client_id=self.client_id)
        decide(refused.verification_uri, refused.user_code, "refusal")
        expect(BadRequestError, lambda: self.users.authenticate_with_device_code(device_code=refused.device_code), error="access_denied")
        expect(BadRequestError, lambda: self.users.authenticate_with_device_code(device_code="x"), error="invalid_grant")

    def fail(self):
        code = self.code()
        assert self.users.authenticate_with_code(code=code)
        expect(BadRequestError, lambda: self.users.authenticate_with_code(code=code), error="invalid_grant")
        expect(BadRequestError, lambda: self.users.authenticate_with_code(code="x"), error="invalid_grant")
        expect(BadRequestError, lambda: self.users.authenticate_with_refresh_token(refresh_token="x"), error="invalid_grant")
        wrong = self.client(api_key=self.tenant["api_key"][:-1] + "_", max_retries=0).user_management
        expect(AuthenticationError, lambda: wrong.authenticate_with_code(code=self.code()), error="invalid_client")
        expect(NotFoundError, lambda: self.users.create_magic_auth(email="ada@example.com"), code="feature_not_offered")
        expect(NotFoundError, lambda: self.users.list_invitations(), code="feature_not_offered")
        expect(NotFoundError, lambda: self.workos.sso.list_connections(), code="feature_not_offered")
        for changes, error in [
                ({"provider": "GoogleOAuth"}, "invalid_connection_selector"), ({"connection_id": "conn_01"}, "connection_invalid"),
                ({"provider": "authkit", "organization_id": "org_01"}, "organization_invalid")]:
            url = self.users.get_authorization_url(redirect_uri="https://app.example.com/callback", **changes)
            back = requests.get(url, allow_redirects=False).headers["Location"]
            assert parse_qs(urlsplit(back).query)["error"] == [error], back


def public(server, tenant):
    """An application without a secret, with PKCE."""
    application, base_url = tenant["application"], server.settings["base_url"]
    client = WorkOSClient(client_id=application["client_id"], base_url=base_url, is_public=True).user_management
    started = client.get_authorization_url_with_pkce(redirect_uri=application["redirect_uri"], provider="authkit")
    code = code_in(through_apple(started["url"], PERSON), started["state"])
    expect(BadRequestError, lambda: client.authenticate_with_code(code=code), error="invalid_grant")
    answer = client.authenticate_with_code_pkce(code=code, code_verifier=started["code_verifier"])
    assert client.authenticate_with_refresh_token(refresh_token=answer.refresh_token).user.id == answer.user.id


def main():
    with DevServer() as server:
        acme, globex = server.settings["tenants"]
        application, done = Application(server, acme), []
        for step in (application.sign_in, application.seal, application.retry, application.manage, application.organize,
                     application.events, application.expire, application.device, application.fail):
            step()
            done.append(step.__name__)
        public(server, globex)
        print(f"check-clients: WorkOS's library: {', '.join(done)}, public")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
