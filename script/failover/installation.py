"""Espalier on the cluster: the Apple simulator, the seeded tenants, three servers, and haproxy in front of them."""

import json
import signal
import urllib.error
import urllib.request

from processes import Failure, free_ports, wait_until

REDIRECT_URI = "https://app.example.com/callback"

HAPROXY = """\
global
    maxconn 4000
    log stdout format raw local0 notice
defaults
    mode http
    log global
    option httplog
    option dontlog-normal
    option log-separate-errors
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout check 2s
    # A request is sent to another server only if the connection failed, so before any byte of it was sent.
    retries 3
    option redispatch 1
    retry-on conn-failure
    # A new connection to the server for each request. An idle connection may end just when the request is sent.
    option http-server-close
frontend public
    bind 127.0.0.1:{port}
    default_backend servers
backend servers
    balance roundrobin
    option forwardfor
    # Not /readyz: it fails at all servers at once while there is no primary, and haproxy would reject every request. A server can
    # still complete a request that waits for the new primary.
    option httpchk GET /healthz
{servers}
"""


def fetch(url, method="GET", body=None, headers=None, timeout=10):
    """The status and the text of a response. Raises OSError without one."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} | (headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def responds(url):
    try:
        return fetch(url, timeout=5)[0] == 200
    except OSError:
        return False


class Server:
    def __init__(self, name, program, environment, processes):
        self.name, self.program, self.environment, self.processes = name, program, environment, processes
        self.port, self.operations_port = free_ports(2)
        self.process = None
        # For the prober, because the process is another one after a restart.
        self.id_file = processes.logs / f"{name}.pid"

    def start(self):
        """Returns when the server is ready."""
        self.process = self.processes.start(self.name, [self.program, "serve"], self.environment | {
            "ESPALIER_PORT": str(self.port), "ESPALIER_OPERATIONS_PORT": str(self.operations_port)})
        self.id_file.write_text(str(self.process.pid))
        wait_until(f"{self.name} that is ready", self._is_ready)

    def _is_ready(self):
        if self.process.poll() is not None:
            raise Failure(f"{self.name} ended with {self.process.returncode} at its start")
        return responds(f"http://127.0.0.1:{self.operations_port}/readyz")

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(60)


class Installation:
    def __init__(self, cluster, folder, programs, processes):
        self.cluster, self.processes = cluster, processes
        public, apple = free_ports(2)
        self.url, self.apple_url = f"http://127.0.0.1:{public}", f"http://127.0.0.1:{apple}"
        processes.start("simulator", [programs / "espalier-dev", "simulate-apple", "--port", apple])
        wait_until("Apple simulator", lambda: responds(f"{self.apple_url}/auth/keys"))

        espalier = programs / "espalier"
        for statement in (
            "CREATE ROLE espalier LOGIN CREATEROLE", "CREATE ROLE espalier_server LOGIN", "CREATE DATABASE espalier OWNER espalier"
        ):
            cluster.leader.run(statement)
        settings = {
            "ESPALIER_PUBLIC_URL": self.url, "ESPALIER_DATABASE_URL": cluster.url("espalier_server"),
            "ESPALIER_MIGRATION_DATABASE_URL": cluster.url("espalier"), "ESPALIER_APPLE_BASE_URL": self.apple_url,
            "ESPALIER_MASTER_KEYS": processes.output("generate-master-key", [espalier, "generate-master-key"]).strip(),
            "ESPALIER_TRUSTED_PROXIES": "1",
            # All requests come from one address. The limits are not measured here.
            "ESPALIER_API_REQUESTS_PER_MINUTE": "1000000000",
        }
        processes.output("migrate", [espalier, "migrate"], settings)
        plan = {
            "connection": self._register_at_apple(), "api_keys": [{"name": "Check"}],
            "tenants": [
                {"slug": slug, "name": slug.title(), "plan": "scale", "applications": [
                    {"name": "Web", "kind": "web", "redirect_uris": [REDIRECT_URI]},
                    {"name": "Page", "kind": "spa", "redirect_uris": [REDIRECT_URI]}]}
                for slug in ("acme", "globex")],
        }
        seeded = json.loads(processes.output("seed", [espalier, "seed", "-"], settings, json.dumps(plan)))
        self.api_key = seeded["api_keys"][0]["secret"]
        self.tenants = [tenant["slug"] for tenant in seeded["tenants"]]
        self.applications = [
            {"issuer": tenant["issuer"], "client_id": application["client_id"], "client_secret": application.get("client_secret"),
             "redirect_uri": REDIRECT_URI}
            for tenant in seeded["tenants"] for application in tenant["applications"]]
        self.servers = [Server(f"server{number}", espalier, settings, processes) for number in (1, 2, 3)]
        for server in self.servers:
            server.start()
        self._balance(folder, public)

    def _register_at_apple(self):
        """Registers a team with one Services ID and one key. Returns the connection of a seed plan."""
        def portal(method, path, body):
            status, text = fetch(f"{self.apple_url}/simulator/{path}", method, body)
            if not 200 <= status < 300:
                raise Failure(f"the simulator responded to {method} {path} with {status}: {text}")
            return text

        team, services_id = "CHECKTEAM1", "com.example.check"
        portal("PUT", f"teams/{team}", {})
        portal("PUT", f"services-ids/{services_id}", {
            "team": team, "display_name": "Check", "return_urls": [f"{self.url}/auth/apple/callback"]})
        key = json.loads(portal("POST", "keys", {"team": team}))
        return {"team_id": team, "services_id": services_id, "key_id": key["id"], "key": key["private_key"]}

    def _balance(self, folder, port):
        servers = "\n".join(
            f"    server {each.name} 127.0.0.1:{each.port} check port {each.operations_port} inter 500ms fall 2 rise 1"
            for each in self.servers)
        configuration = folder / "haproxy.cfg"
        configuration.write_text(HAPROXY.format(port=port, servers=servers))
        self.processes.start("haproxy", ["/usr/sbin/haproxy", "-db", "-f", configuration])
        wait_until("haproxy", lambda: responds(f"{self.applications[0]['issuer']}/oauth2/jwks"))

    def counted_logins(self, slug, start, end):
        """The usage of a tenant as the REST API reports it."""
        status, text = fetch(
            f"{self.url}/v1/tenants/{slug}/usage?from={start}&to={end}", headers={"Authorization": f"Bearer {self.api_key}"})
        if status != 200:
            raise Failure(f"the usage of {slug}: {status} {text}")
        return json.loads(text)["logins"]

    def ended_alone(self):
        """The servers that no phase ended, and that run no longer."""
        return [each.name for each in self.servers if each.process.poll() is not None]

    def stop(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.end(signal.SIGTERM)
