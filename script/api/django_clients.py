"""Signs users in through django-allauth, social-auth and mozilla-django-oidc, against a server of its own.

`espalierctl applications register --for LIBRARY` registers each application. Each library is set up as its manual says, with the
setting of docs/clients.md if there is one, and with no other. So this shows that `--for` sets what the library needs. Django's test
client is the browser at the application.
"""

import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import django
from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import include, path

from dev_server import DevServer, espalierctl, through_apple
from spec import ROOT

ORIGIN = "http://localhost:8000"
# Its redirect URI, and where a login begins.
LIBRARIES = {
    "allauth": ("/accounts/oidc/espalier/login/callback/", "/accounts/oidc/espalier/login/"),
    "social-auth": ("/complete/oidc/", "/login/oidc/"),
    "mozilla-django-oidc": ("/oidc/callback/", "/oidc/authenticate/"),
}


def register(server, library):
    environment = {"ESPALIER_BASE_URL": server.settings["base_url"], "ESPALIER_API_KEY": server.settings["platform_api_key"]}
    done = subprocess.run(
        [espalierctl(), "applications", "register", "--tenant", "acme", "--name", library, "--for", library,
         "--redirect-uri", ORIGIN + LIBRARIES[library][0], "--json"],
        env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    # It questions a redirect URI that is not the library's.
    assert "Compare it with yours." not in done.stderr, done.stderr
    return json.loads(done.stdout)


def configure(issuer, applications):
    allauth, social, mozilla = (applications[library] for library in LIBRARIES)
    settings.configure(
        SECRET_KEY="of this run alone", ALLOWED_HOSTS=["localhost"], ROOT_URLCONF=__name__, LOGIN_REDIRECT_URL="/", USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
            "allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect",
            "social_django", "mozilla_django_oidc"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware", "allauth.account.middleware.AccountMiddleware"],
        AUTHENTICATION_BACKENDS=[
            "allauth.account.auth_backends.AuthenticationBackend", "social_core.backends.open_id_connect.OpenIdConnectAuth",
            "mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request"]}}],
        EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend",
        SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [{
            "provider_id": "espalier", "name": "Espalier", "client_id": allauth["id"], "secret": allauth["client_secret"],
            "settings": {"server_url": issuer}}]}},
        SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer, SOCIAL_AUTH_OIDC_KEY=social["id"], SOCIAL_AUTH_OIDC_SECRET=social["client_secret"],
        OIDC_RP_CLIENT_ID=mozilla["id"], OIDC_RP_CLIENT_SECRET=mozilla["client_secret"], OIDC_RP_SIGN_ALGO="ES256",
        OIDC_OP_AUTHORIZATION_ENDPOINT=f"{issuer}/oauth2/authorize", OIDC_OP_TOKEN_ENDPOINT=f"{issuer}/oauth2/token",
        OIDC_OP_USER_ENDPOINT=f"{issuer}/oauth2/userinfo", OIDC_OP_JWKS_ENDPOINT=f"{issuer}/oauth2/jwks")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return [
        path("accounts/", include("allauth.urls")), path("oidc/", include("mozilla_django_oidc.urls")),
        path("", include("social_django.urls", namespace="social")),
        path("", lambda request: HttpResponse(request.user.email if request.user.is_authenticated else "nobody"))]


def sign_in(library):
    """Goes through a login, and answers with the email address of the user who is signed in then."""
    browser = Client(headers={"host": "localhost:8000"})
    begin = LIBRARIES[library][1]
    to_us = browser.get(begin) if library == "mozilla-django-oidc" else browser.post(begin)
    assert to_us.status_code == 302, (to_us.status_code, to_us.content[:500])
    back = through_apple(to_us.headers["Location"])
    assert back.startswith(ORIGIN + LIBRARIES[library][0]) and "error" not in back, back
    parts = urlsplit(back)
    browser.get(f"{parts.path}?{parts.query}")
    return browser.get("/").content.decode()


def main():
    global urlpatterns
    with DevServer() as server:
        issuer = f"{server.settings['base_url']}/t/acme"
        urlpatterns = configure(issuer, {library: register(server, library) for library in LIBRARIES})
        for library in LIBRARIES:
            email = sign_in(library)
            assert "@" in email, f"{library}: {email} is signed in"
            print(f"check-clients: {library} at acme: signed in, as --for {library} sets it")
        for line in (complaints := server.complaints()):
            print(f"check-clients: the server logged an error: {line}", file=sys.stderr)
    sys.exit("check-clients: failed" if complaints else 0)


if __name__ == "__main__":
    main()
