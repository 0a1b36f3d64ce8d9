"""Generates a client from openapi.yaml with openapi-python-client, and calls a server of its own with it.

A document can be valid OpenAPI and still lose operations in a generated client. So the generator must report nothing, every
operation and every named object must be importable, and calls of every kind must return the typed answer that the document has.
"""

import datetime
import importlib
import pkgutil
import subprocess
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path

from dev_server import DevServer
from spec import FILE, Specification

PACKAGE = "espalier_client"


def generate(folder):
    """The generated package, importable. Any warning of the generator is a failure, because a part is then missing."""
    config = folder / "config.yaml"
    # Nobody reads the code, so nothing formats it. The generator has to be told that images are bytes or text.
    config.write_text(
        "post_hooks: []\ncontent_type_overrides:\n  image/vnd.microsoft.icon: application/octet-stream\n"
        "  image/png: application/octet-stream\n  image/svg+xml: application/octet-stream\n", encoding="utf-8")
    command = [
        Path(sys.executable).parent / "openapi-python-client", "generate", "--path", FILE, "--config", config, "--meta", "none",
        "--output-path", folder / PACKAGE, "--fail-on-warning"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0 or "WARNING" in result.stdout or "Unable to" in result.stdout:
        sys.exit(f"check-generated-client: the generator reports an error for {FILE.name}:\n{result.stdout}")
    sys.path.insert(0, str(folder))
    return importlib.import_module(PACKAGE)


def plain(name):
    """A name without what a generator changes about it."""
    return name.replace("_", "").lower()


class Client:
    """The generated functions by operationId, and the generated classes."""

    def __init__(self, package):
        self.package = package
        self.models = importlib.import_module(f"{PACKAGE}.models")
        self.functions = {}
        for module in pkgutil.walk_packages(importlib.import_module(f"{PACKAGE}.api").__path__, f"{PACKAGE}.api."):
            # A class that a function needs and that is not there fails here.
            loaded = importlib.import_module(module.name)
            if not module.ispkg:
                self.functions[plain(module.name.rsplit(".", 1)[1])] = loaded.sync_detailed
        self.called = []

    def missing(self, specification):
        """The operations and the named objects that the generator left out."""
        models = {plain(name) for name in self.models.__all__}
        lost = [each.id for each in specification.operations if plain(each.id) not in self.functions]
        return lost + [
            name for name, schema in specification.document["components"]["schemas"].items()
            if "properties" in schema and plain(name) not in models]

    def acting(self, base_url, token=None):
        """Calls as the holder of a token: `call(operation, class of the answer, …)` returns the typed answer."""
        client = self.package.AuthenticatedClient(base_url, token) if token else self.package.Client(base_url)

        def call(operation, answer, *arguments, status=HTTPStatus.OK, **parameters):
            self.called.append(operation)
            response = self.functions[plain(operation)](*arguments, client=client, **parameters)
            assert response.status_code == status, f"{operation}: {response.status_code} {response.content[:500]}"
            assert answer is None or isinstance(response.parsed, answer), f"{operation}: {type(response.parsed)}"
            return response

        return call


def tenants(m, operator):
    created = operator(
        "createTenant", m.Tenant, body=m.NewTenant(slug="initech", name="Initech", profile_retention_days=7), status=HTTPStatus.CREATED)
    assert created.parsed.object_ == "tenant" and created.parsed.plan == m.TenantPlan.FREE
    listed = operator("listTenants", m.TenantList, limit=100).parsed
    assert {"acme", "globex", "initech"} <= {each.slug for each in listed.data} and listed.list_metadata.after is None
    shown = operator("getTenant", m.Tenant, "initech")
    assert shown.parsed == created.parsed
    # What a PATCH does not name stays: a default in the document would be sent along, and reset it.
    changed = operator("updateTenant", m.Tenant, "initech", body=m.TenantChange(name="Initech Ltd"), if_match=shown.headers["ETag"]).parsed
    assert changed.name == "Initech Ltd" and changed.profile_retention_days == 7
    refused = operator("getTenant", m.Problem, "no-such-tenant", status=HTTPStatus.NOT_FOUND).parsed
    assert refused.code == m.ProblemCode.NOT_FOUND


def applications(m, operator):
    uri, created = "https://app.example.com/callback", HTTPStatus.CREATED
    for body in (
        m.RegisterWebApplication(name="Web", kind="web", redirect_uris=[uri], requires_pkce=False),
        m.RegisterSinglePageApplication(name="Browser", kind="spa", redirect_uris=[uri]),
        m.RegisterNativeApplication(name="Phone", kind="native", redirect_uris=["com.example.app:/callback"], bundle_ids=["com.example.app"]),
        m.RegisterMachine(name="Orders", kind="machine"),
    ):
        made = operator("registerApplication", m.RegisteredApplication, "initech", body=body, status=created).parsed
        assert made.kind == body.kind and isinstance(made.client_secret, str) == (body.kind in ("web", "machine"))
    listed = operator("listApplications", m.ApplicationList, "initech").parsed.data
    assert [each.kind for each in listed] == ["machine", "native", "spa", "web"]
    shown = operator("getApplication", m.Application, "initech", listed[3].id).parsed
    assert shown == listed[3] and shown.redirect_uris == [uri]
    changed = operator("updateApplication", m.Application, "initech", shown.id, body=m.UpdateApplication(session_seconds=600, idle_seconds=600))
    assert changed.parsed.session_seconds == 600 and changed.parsed.name == "Web" and not changed.parsed.requires_pkce
    operator("rollApplicationSecret", m.RolledApplicationSecret, "initech", shown.id, body=m.RollApplicationSecret(), status=created)
    assert len(operator("listApplicationSecrets", m.ApplicationSecretList, "initech", shown.id).parsed.data) == 2
    operator("deleteApplication", None, "initech", listed[0].id, status=HTTPStatus.NO_CONTENT)


def connections(m, operator):
    (own,) = operator("listConnections", m.ConnectionList, "acme").parsed.data
    checked = operator("checkConnection", m.ConnectionCheck, "acme", own.id).parsed
    assert checked.object_ == "connection_check" and checked.outcome == m.ConnectionCheckOutcome.PASSED
    shown = operator("getConnection", m.Connection, "acme", own.id)
    assert isinstance(shown.parsed.check, m.LastCheck) and shown.parsed.check.steps == checked.steps
    assert isinstance(shown.parsed.apple_portal, m.ApplePortal)
    change = m.ConnectionChange(email_sources=["example.com"])
    changed = operator("updateConnection", m.Connection, "acme", own.id, body=change, if_match=shown.headers["ETag"]).parsed
    assert changed.email_sources == ["example.com"] and changed.services_id == own.services_id
    assert operator("listAppleKeys", m.AppleKeyList, "acme", own.id).parsed.data == shown.parsed.apple_keys
    assert operator("getPlatformConnection", m.Connection).parsed.ownership == m.ConnectionOwnership.SHARED


def money(m, operator):
    now = datetime.datetime.now(datetime.UTC)
    start = datetime.datetime(now.year, now.month, 1, tzinfo=datetime.UTC)
    usage = operator("getUsage", m.Usage, "acme", from_=start, to=now.replace(microsecond=0)).parsed
    assert usage.from_ == start and all(isinstance(each, m.UsageDay) for each in usage.days)
    assert isinstance(operator("setBudget", m.Budget, "acme", body=m.LoginBudget(logins=100)).parsed.current, m.BudgetStatus)
    assert operator("getBudget", m.Budget, "acme").parsed.hard is False
    cards = operator("listRateCards", m.RateCardList, plan=m.ListRateCardsPlan.FREE).parsed.data
    assert operator("getRateCard", m.RateCard, cards[0].id).parsed == cards[0]
    estimate = operator("estimatePrice", m.Estimate, body=m.EstimateRequest(logins=1000)).parsed
    assert estimate.total_micros == sum(line.amount_micros for line in estimate.lines)
    card = m.TenantRateCardRequest(
        effective_from=now.date() + datetime.timedelta(days=40), currency="USD", tiers=[m.PriceTierRequest(unit_price_micros=4000)])
    made = operator("createTenantRateCard", m.RateCard, "acme", body=card, status=HTTPStatus.CREATED).parsed
    assert made.tier_mode == m.RateCardTierMode.GRADUATED and made.base_fee_micros == 0
    assert operator("getUpcomingStatement", m.UpcomingStatement, "acme").parsed.state == "open"


def keys_and_webhooks(m, operator):
    created = HTTPStatus.CREATED
    request = m.APIKeyRequest(name="Reader", scopes=[m.APIKeyScope.TENANTSREAD], expires_at=datetime.datetime(2099, 1, 1, tzinfo=datetime.UTC))
    issued = operator("issueAPIKey", m.NewAPIKey, "acme", body=request, status=created).parsed
    operator("rollAPIKey", m.NewAPIKey, "acme", issued.id, body=m.RollAPIKey(overlap_seconds=60), status=created)
    assert any(each.id == issued.id for each in operator("listAPIKeys", m.APIKeyList, "acme").parsed.data)
    hook = m.NewWebhook(url="https://hooks.example.com/", events=[m.WebhookEventType.USER_CREATED])
    made = operator("createWebhook", m.CreatedWebhook, "acme", body=hook, status=created).parsed
    assert made.secret.startswith("whsec_")
    changed = operator("updateWebhook", m.Webhook, "acme", made.id, body=m.WebhookChange(status=m.WebhookChangeStatus.DISABLED)).parsed
    assert changed.url == hook.url and changed.status == m.WebhookStatus.DISABLED
    assert operator("listAuditEvents", m.AuditEventList, "acme").parsed.data[0].action == "updateWebhook"


def people(m, operator, anyone, client, server):
    """A user who signed in, as the API shows her, and what her application does with the tokens."""
    tokens = server.sign_in("acme")
    (user,) = operator("listUsers", m.UserList, "acme").parsed.data
    details = operator("getUser", m.UserDetails, "acme", user.id).parsed
    assert isinstance(details.identities[0], m.UserIdentity) and isinstance(details.sessions[0], m.Session)
    assert operator("listSessions", m.SessionList, "acme").parsed.data == details.sessions
    herself = client.acting(server.settings["base_url"], tokens["access_token"])
    assert herself("userInfo", m.UserInfo, "acme").parsed.sub == user.id
    application = server.settings["tenants"][0]["application"]
    form = m.TokenRequest(
        grant_type=m.TokenRequestGrantType.REFRESH_TOKEN, refresh_token=tokens["refresh_token"], client_id=application["client_id"],
        client_secret=application["client_secret"])
    assert anyone("token", m.Tokens, "acme", body=form).parsed.token_type == "Bearer"
    assert all(isinstance(each, m.JWK) for each in anyone("jwks", m.JWKS, "acme").parsed.keys)
    operator("deleteUser", None, "acme", user.id, status=HTTPStatus.NO_CONTENT)


def main():
    with tempfile.TemporaryDirectory(prefix="espalier-client-") as folder:
        client = Client(generate(Path(folder)))
        specification = Specification()
        if missing := client.missing(specification):
            sys.exit(f"check-generated-client: not in the generated client: {', '.join(missing)}")
        with DevServer() as server:
            assert server.settings["tenants"][0]["slug"] == "acme"
            operator = client.acting(server.settings["base_url"], server.settings["platform_api_key"])
            for check in (tenants, applications, connections, money, keys_and_webhooks):
                check(client.models, operator)
            people(client.models, operator, client.acting(server.settings["base_url"]), client, server)
            for line in (complaints := server.complaints()):
                print(f"check-generated-client: the server logged an error: {line}", file=sys.stderr)
    print(f"check-generated-client: {len(client.functions)} operations generated, {len(set(client.called))} of them called")
    sys.exit("check-generated-client: failed" if complaints else 0)


main()
