"""Signs users in through WorkOS's library, unchanged except for its `base_url`, against a server of its own.

An application with an API key and a public one go through every operation of docs/moving-from-workos.md: login, sealed session, refresh,
logout, users, sessions, organizations, API keys and each failure. What is done here by hand is what a browser and Apple's page do.
"""

import sys
from urllib.parse import parse_qs, urlsplit

import httpx2
import requests
from cryptography.fernet import Fernet
from workos import WorkOSClient
from workos._errors import AuthenticationError, BadRequestError, NotFoundError
from workos.session import seal_session_from_auth_response

from dev_server import DevServer, through_apple

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
            "requires_pkce": False})
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
                     application.fail):
            step()
            done.append(step.__name__)
        public(server, globex)
        print(f"check-clients: WorkOS's library: {', '.join(done)}, public")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
