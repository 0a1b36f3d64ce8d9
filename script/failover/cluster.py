"""Three PostgreSQL under Patroni in synchronous mode, and the etcd in which Patroni elects the primary."""

import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import psycopg2

from processes import Account, Failure, free_ports, send, wait_until, with_descendants

# The primary's key in etcd ends after 10 s. The primary renews it every 2 s.
# loop_wait + 2 * retry_timeout <= ttl, otherwise a slow etcd ends a healthy primary (Patroni, "Dynamic configuration settings").
TTL, LOOP_WAIT, RETRY_TIMEOUT = 10, 2, 4
# The data of each node, in MB. A tmpfs can be filled without a device, and keeps the data of a killed server.
DISK = 768


class Node:
    def __init__(self, name, folder, etcd_port, processes, account, programs):
        self.name, self.folder, self.processes, self.account = name, folder, processes, account
        self.port, self.api_port = free_ports(2)
        self.data = folder / "data"
        self.patroni = None
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "espalier-failover", folder], check=True)
        account.own(folder)
        self.configuration = folder.parent / f"{name}.yml"
        # JSON is YAML.
        self.configuration.write_text(json.dumps(self._settings(etcd_port, programs), indent=1))

    def _settings(self, etcd_port, programs):
        address = f"127.0.0.1:{self.port}"
        return {
            "scope": "espalier", "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.api_port}", "connect_address": f"127.0.0.1:{self.api_port}"},
            # The version 2 of etcd's API. With version 3, a primary that was frozen takes its key back from the new primary, and both
            # replicas drop what the new one committed (fixed in Patroni 3.0.3, https://github.com/patroni/patroni/pull/2689).
            "etcd": {"host": f"127.0.0.1:{etcd_port}"},
            "bootstrap": {
                "dcs": {
                    "ttl": TTL, "loop_wait": LOOP_WAIT, "retry_timeout": RETRY_TIMEOUT, "synchronous_mode": True,
                    # A killed PostgreSQL is replaced at once. Otherwise Patroni would first wait for its recovery.
                    "primary_start_timeout": 0,
                    "postgresql": {
                        "use_pg_rewind": True, "use_slots": True,
                        "parameters": {
                            "max_connections": 100, "shared_buffers": "64MB", "wal_keep_size": "128MB", "max_wal_size": "128MB",
                            "min_wal_size": "2MB", "wal_log_hints": "on", "log_line_prefix": "%m [%p] ",
                        },
                    },
                },
                # Small segments, so that a full disk is noticed soon: a replica first uses the segments that it has.
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "trust"}, {"wal-segsize": "1"}, "data-checksums"],
            },
            "postgresql": {
                "listen": address, "connect_address": address, "data_dir": str(self.data), "bin_dir": str(programs),
                "pgpass": str(self.folder / "pgpass"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "replicator"}},
                "parameters": {"unix_socket_directories": str(self.folder)},
                # No password: every server listens on loopback, and ends with the check.
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
            },
        }

    def start(self):
        self.patroni = self.processes.start(
            self.name, self.account.prefix + ["patroni", self.configuration], {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"})

    @property
    def postgres(self):
        """The processes of PostgreSQL, the first one first."""
        try:
            return with_descendants(int((self.data / "postmaster.pid").read_text().split("\n")[0]))
        except (FileNotFoundError, ValueError):
            return []

    def kill_postgres(self):
        send(signal.SIGKILL, self.postgres)

    def kill(self):
        """Kills PostgreSQL and Patroni at once. The kernel closes their connections."""
        send(signal.SIGKILL, with_descendants(self.patroni.pid) + self.postgres)
        self.patroni.wait()

    def freeze(self):
        send(signal.SIGSTOP, self.postgres + with_descendants(self.patroni.pid))

    def thaw(self):
        send(signal.SIGCONT, self.postgres + with_descendants(self.patroni.pid))

    def fill_disk(self):
        """Writes a file until no byte is free."""
        block = bytes(1 << 20)
        with open(self.folder / "filler", "wb", buffering=0) as file:
            try:
                while block:
                    if file.write(block) < len(block):
                        block = block[: len(block) // 2]
            except OSError:
                pass

    def free_disk(self):
        (self.folder / "filler").unlink(missing_ok=True)

    def ask(self, path, body=None, timeout=2, method=None):
        """A response of Patroni's REST API; None without one."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.api_port}/{path}", data=None if body is None else json.dumps(body).encode(), method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode()
        except OSError:
            return None
        try:
            return json.loads(text)
        except ValueError:
            return {"text": text}

    def run(self, statement, database="postgres", user="postgres"):
        connection = psycopg2.connect(host="127.0.0.1", port=self.port, dbname=database, user=user, connect_timeout=2)
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()


class Cluster:
    def __init__(self, folder, processes):
        account = Account()
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
        if not programs:
            raise Failure("PostgreSQL is missing. Run script/bootstrap --failover.")
        client, peer = free_ports(2)
        self.etcd_port = client
        processes.start("etcd", [
            "etcd", "--name", "one", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{client}",
            "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster", f"one=http://127.0.0.1:{peer}",
            "--enable-v2", "--log-level", "warn"])
        wait_until("etcd", self._has_etcd)
        names, bin_folder = ("node1", "node2", "node3"), programs[-1].parent
        self.nodes = [Node(name, folder / name, client, processes, account, bin_folder) for name in names]
        for node in self.nodes:
            node.start()
        wait_until("healthy cluster", self.is_healthy, within=90, pause=0.5)

    def _has_etcd(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.etcd_port}/health", timeout=1) as answer:
                return b"true" in answer.read()
        except OSError:
            return False

    def url(self, user):
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)
        return f"postgresql://{user}@{hosts}/espalier?target_session_attrs=read-write"

    def members(self, besides=None):
        """The roles that a node reports, by the name of the member. Empty without a response."""
        for node in self.nodes:
            if node is not besides and (answer := node.ask("cluster")) and "members" in answer:
                return {member["name"]: member for member in answer["members"]}
        return {}

    def node(self, role, besides=None):
        members = self.members(besides)
        return next((node for node in self.nodes if members.get(node.name, {}).get("role") == role), None)

    @property
    def leader(self):
        return wait_until("primary", lambda: self.node("leader"))

    @property
    def synchronous(self):
        return wait_until("synchronous replica", lambda: self.node("sync_standby"))

    def lead_with(self, node):
        """Makes a node the primary, if it is not. Both replicas are synchronous during this time, because only such a one may take over."""
        if (old := self.leader) is node:
            return
        old.ask("config", {"synchronous_node_count": 2}, method="PATCH")
        wait_until(f"synchronous replica {node.name}", lambda: self.members().get(node.name, {}).get("role") == "sync_standby", pause=0.2)
        answer = old.ask("switchover", {"leader": old.name, "candidate": node.name}, timeout=60)
        wait_until(f"primary {node.name} after {answer}", lambda: self.leader is node, pause=0.2)
        node.ask("config", {"synchronous_node_count": 1}, method="PATCH")
        wait_until("healthy cluster", self.is_healthy, pause=0.2)

    def new_leader(self, old):
        """Another primary than the old one that accepts writes; None without one."""
        for node in self.nodes:
            if node is old:
                continue
            try:
                if node.run("SELECT NOT pg_is_in_recovery()")[0][0]:
                    return node
            except psycopg2.Error:
                pass
        return None

    def is_healthy(self):
        """One primary, two streaming replicas, one of them synchronous."""
        members = self.members()
        if sorted(member["role"] for member in members.values()) != ["leader", "replica", "sync_standby"]:
            return False
        if any(member["state"] not in ("running", "streaming") for member in members.values()):
            return False
        leader = next(node for node in self.nodes if members[node.name]["role"] == "leader")
        try:
            found = leader.run("SELECT state, sync_state FROM pg_stat_replication WHERE application_name LIKE 'node%'")
        except psycopg2.Error:
            return False
        return sorted(found) == [("streaming", "async"), ("streaming", "sync")]
