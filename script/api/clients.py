"""Signs users in through libraries that others wrote, Authlib and requests-oauthlib, against a server of its own.

Each library goes through a whole login at a confidential application (Acme's) and at a public one with PKCE (Globex's): discovery,
authorization, tokens, the id_token with all that the library checks of it, userinfo, refresh, revocation and logout. What is done
here by hand is what a browser and Apple's page do; everything else is the library's own.
"""

import os
import sys
from urllib.parse import parse_qsl

# The development server speaks http on loopback, which the libraries refuse unless told so. They read this when they are used.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError as AuthlibError
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from authlib.oidc.core import CodeIDToken, UserInfo
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.jwk import KeySet
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session as OAuthlibSession

from dev_server import DevServer, through_apple

SCOPE = "openid profile email offline_access"
PERSON = "Ada Lovelace"


class Refused(Exception):
    """The server refused a token as invalid_grant, in whichever way the library says that."""


class AuthlibLogout(OpenIDMixin):
    """What Authlib's clients for Flask, Django and Starlette share: it makes the address that ends a session."""

    def __init__(self, metadata):
        self.metadata = metadata

    def load_server_metadata(self):
        return self.metadata


class WithAuthlib:
    name = "Authlib"

    def __init__(self, application, metadata):
        self.metadata, self.verifier, self.nonce = metadata, generate_token(48), generate_token(20)
        secret = application.get("client_secret")
        self.session = AuthlibSession(
            application["client_id"], secret, scope=SCOPE, redirect_uri=application["redirect_uri"], code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if secret else "none",
            revocation_endpoint_auth_method="client_secret_basic" if secret else "none")

    def sign_in(self):
        url, self.session.state = self.session.create_authorization_url(
            self.metadata["authorization_endpoint"], nonce=self.nonce, code_verifier=self.verifier)
        return self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=through_apple(url, PERSON), code_verifier=self.verifier)

    def user_info(self):
        answer = self.session.get(self.metadata["userinfo_endpoint"])
        answer.raise_for_status()
        return UserInfo(answer.json())

    def refresh(self):
        try:
            return self.session.refresh_token(self.metadata["token_endpoint"])
        except AuthlibError as error:
            if error.error == "invalid_grant":
                raise Refused from error
            raise

    def revoke(self, token):
        answer = self.session.revoke_token(self.metadata["revocation_endpoint"], token=token, token_type_hint="refresh_token")
        answer.raise_for_status()

    def logout_url(self, **parameters):
        return AuthlibLogout(self.metadata).create_logout_url(id_token_hint=self.session.token["id_token"], **parameters)["url"]


class WithOAuthlib:
    name = "requests-oauthlib"

    def __init__(self, application, metadata):
        self.metadata, self.application, self.nonce = metadata, application, generate_token(20)
        self.secret = application.get("client_secret")
        self.session = OAuthlibSession(
            application["client_id"], redirect_uri=application["redirect_uri"], scope=SCOPE.split(), pkce="S256")

    def sign_in(self):
        url, _ = self.session.authorization_url(self.metadata["authorization_endpoint"], nonce=self.nonce)
        # As its documentation has it: the secret, if there is one, in the header.
        return self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=through_apple(url, PERSON), client_secret=self.secret)

    def user_info(self):
        answer = self.session.get(self.metadata["userinfo_endpoint"])
        answer.raise_for_status()
        return answer.json()

    def refresh(self):
        credentials = {"auth": (self.application["client_id"], self.secret)} if self.secret else {"client_id": self.application["client_id"]}
        try:
            return self.session.refresh_token(self.metadata["token_endpoint"], **credentials)
        except InvalidGrantError as error:
            raise Refused from error

    def revoke(self, token):
        form = {"token": token, "token_type_hint": "refresh_token", "client_id": self.application["client_id"]}
        if self.secret:
            form["client_secret"] = self.secret
        requests.post(self.metadata["revocation_endpoint"], data=form).raise_for_status()

    def logout_url(self, **parameters):
        # It knows no logout, but how to add to an address.
        parameters["id_token_hint"] = self.session.token["id_token"]
        return add_params_to_uri(self.metadata["end_session_endpoint"], list(parameters.items()))


def discover(issuer):
    """The metadata, as Authlib wants them."""
    metadata = OpenIDProviderMetadata(requests.get(get_well_known_url(issuer, external=True)).json())
    metadata.validate()
    assert metadata["issuer"] == issuer
    return metadata


def check_id_token(tokens, application, metadata, nonce):
    """By Authlib: the signature by a key of the JWKS, and every claim (OpenID Connect Core, section 3.1.3.7)."""
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"]).json())
    decoded = jwt.decode(tokens["id_token"], keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    claims = CodeIDToken(
        decoded.claims, decoded.header,
        options={"iss": {"essential": True, "value": metadata["issuer"]}, "aud": {"essential": True, "value": application["client_id"]}},
        params={"client_id": application["client_id"], "nonce": nonce, "access_token": tokens["access_token"], "max_age": 600})
    claims.validate(leeway=10)
    # It passes without them, too.
    assert claims["nonce"] == nonce and claims["at_hash"] and claims["auth_time"]
    return claims


def expect_ended(client):
    try:
        client.refresh()
    except Refused:
        return
    raise AssertionError("the session goes on: its refresh token still serves")


def sign_out(library, application, metadata, logout_uri):
    """Ends a session by the library's own id_token, once for each way that the browser may be sent or kept afterwards."""
    state = "a b+c&d=e%41 é"
    for uri in (logout_uri, f"{logout_uri}elsewhere", None):
        client = library(application, metadata)
        client.sign_in()
        stranger = requests.get(client.logout_url(client_id="app_00000000000000000000000000", post_logout_redirect_uri=logout_uri))
        assert stranger.status_code == 400 and "You are not signed out" in stranger.text, "signed out by another application"
        client.refresh()
        parameters = {"post_logout_redirect_uri": uri, "state": state} if uri else {"client_id": application["client_id"]}
        answer = requests.get(client.logout_url(**parameters), allow_redirects=False)
        if uri == logout_uri:
            back, _, query = answer.headers["Location"].partition("?")
            assert answer.status_code == 303 and back == uri and parse_qsl(query) == [("state", state)], answer.headers["Location"]
        else:
            assert answer.status_code == (400 if uri else 200) and "Location" not in answer.headers and "You are signed out" in answer.text
        expect_ended(client)
    sign_out_without_hint(metadata, application, logout_uri, state)


def sign_out_without_hint(metadata, application, logout_uri, state):
    """As mod_auth_openidc does it with its session in a cookie, and JupyterHub: by the client id, or by nothing."""
    named = {"client_id": application["client_id"], "post_logout_redirect_uri": logout_uri, "state": state}
    answer = requests.get(metadata["end_session_endpoint"], params=named, allow_redirects=False)
    back, _, query = answer.headers["Location"].partition("?")
    assert answer.status_code == 303 and back == logout_uri and parse_qsl(query) == [("state", state)], answer.headers["Location"]
    bare = requests.get(metadata["end_session_endpoint"], allow_redirects=False)
    assert bare.status_code == 200 and "You can close this page." in bare.text


def check(library, tenant, logout_uri):
    application, done = tenant["application"], []
    metadata = discover(tenant["issuer"])
    client = library(application, metadata)

    tokens = client.sign_in()
    # One of the libraries takes it apart.
    assert tokens["scope"] in (SCOPE, SCOPE.split()), tokens["scope"]
    claims = check_id_token(tokens, application, metadata, client.nonce)
    done.append("signed in")
    user = client.user_info()
    assert user["sub"] == claims["sub"] and user["name"] == PERSON and user["email_verified"] is True, user
    done.append("userinfo")
    refreshed = client.refresh()
    assert refreshed["access_token"] != tokens["access_token"] and refreshed["refresh_token"] != tokens["refresh_token"]
    assert client.user_info()["sub"] == claims["sub"]
    done.append("refreshed")

    client.revoke(refreshed["refresh_token"])
    expect_ended(client)
    done.append("revoked")
    sign_out(library, application, metadata, logout_uri)
    done.append("signed out")
    print(f"check-clients: {library.name} at {tenant['slug']}: {', '.join(done)}")


def main():
    with DevServer() as server:
        tenants = server.settings["tenants"]
        kinds = {bool(tenant["application"].get("client_secret")) for tenant in tenants}
        assert kinds == {True, False}, "the demo has a confidential application and a public one"
        for tenant in tenants:
            for library in (WithAuthlib, WithOAuthlib):
                check(library, tenant, f"{server.settings['demo_url']}/")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


main()
