"""The phases of the check. Each disturbs the cluster or the servers, and ends when everything is healthy again."""

import json
import signal
import threading
import time
import urllib.request

from cluster import LOOP_WAIT, TTL
from processes import Failure, say, send, wait_until

# The load runs this long before the disturbance and after the recovery, in seconds.
BEFORE, AFTER = 3, 4
# How long a frozen, lost or full node stays so after the cluster works without it, in seconds.
HOLD = 5


class Phase:
    """What a phase did, with times of the monotonic clock."""

    def __init__(self, name):
        self.name, self.started, self.acted, self.ended = name, time.monotonic(), None, None
        # The time from the disturbance until another node accepted writes, in seconds. None if the primary stayed.
        self.new_primary_after = None
        # Servers that were stopped or not yet ready: name, start, end.
        self.out_of_service = []
        # Why the phase did not end well; None if it did.
        self.failure = None


class Phases:
    def __init__(self, cluster, installation):
        self.cluster, self.installation = cluster, installation
        self.done = []

    def run(self, name):
        """Whether everything is healthy again. Otherwise no further phase makes sense, but the figures so far do."""
        # A new connection tries the hosts of the URL in their order, and waits longest if the frozen one is the first.
        if name == "freeze" and self.cluster.leader is not self.cluster.nodes[0]:
            return self._measure("return", "the primary hands over to the first host of the URL") and self._measure(name, DESCRIPTIONS[name])
        return self._measure(name, DESCRIPTIONS[name])

    def _measure(self, name, description):
        phase = Phase(name)
        self.done.append(phase)
        say(f"{name}: {description}")
        try:
            self._run(phase)
        except Failure as failure:
            phase.failure = str(failure)
            say(f"{name}: {failure}")
        phase.ended = time.monotonic()
        return phase.failure is None

    def _run(self, phase):
        name = phase.name
        time.sleep(BEFORE)
        if name in NEEDS_A_KEY_OF_KNOWN_AGE:
            self._wait_for_an_old_key()
        phase.acted = time.monotonic()
        getattr(self, f"_{name}")(phase)
        wait_until("healthy cluster", self.cluster.is_healthy, within=120, pause=0.2)
        if ended := self.installation.ended_alone():
            raise Failure(f"these servers ended without a signal: {', '.join(ended)}")
        seconds = time.monotonic() - phase.acted
        time.sleep(AFTER)
        primary = "" if phase.new_primary_after is None else f"; new primary after {phase.new_primary_after:.1f} s"
        say(f"{name}: {seconds:.1f} s until everything was healthy{primary}")

    def _steady(self, phase):
        time.sleep(8)

    def _kill(self, phase):
        old = self.cluster.leader
        phase.acted = time.monotonic()
        old.kill_postgres()
        self._wait_for_primary(phase, old)

    def _lose(self, phase):
        old = self._leader_of_old_key
        old.kill()
        self._wait_for_primary(phase, old)
        time.sleep(HOLD)
        old.start()

    def _return(self, phase):
        self.cluster.lead_with(self.cluster.nodes[0])

    def _freeze(self, phase):
        old = self._leader_of_old_key
        old.freeze()
        try:
            self._wait_for_primary(phase, old)
            time.sleep(HOLD)
        finally:
            old.thaw()

    def _switchover(self, phase):
        old, new = self.cluster.leader, self.cluster.synchronous
        phase.acted = time.monotonic()
        # In the background, because Patroni responds only at the end.
        request = threading.Thread(target=old.ask, args=("switchover", {"leader": old.name, "candidate": new.name}, 60))
        request.start()
        self._wait_for_primary(phase, old)
        request.join()

    def _cut(self, phase):
        server = self.installation.servers[0]
        send(signal.SIGKILL, [server.process.pid])
        server.process.wait()
        time.sleep(HOLD)
        server.start()
        phase.out_of_service.append((server.name, phase.acted, time.monotonic()))

    def _rolling(self, phase):
        for server in self.installation.servers:
            begun = time.monotonic()
            code = server.end(signal.SIGTERM)
            if code != 0:
                raise Failure(f"{server.name} ended with {code} after SIGTERM")
            server.start()
            phase.out_of_service.append((server.name, begun, time.monotonic()))
            # haproxy has to notice it before the next one stops.
            time.sleep(2)

    def _disk(self, phase):
        """The synchronous replica, because commits wait for it."""
        replica, leader = self.cluster.synchronous, self.cluster.leader
        phase.acted = time.monotonic()
        replica.fill_disk()
        try:
            def is_gone():
                # The load uses up the segments of the log that the replica already has. This is faster.
                leader.run("SELECT pg_switch_wal()")
                streaming = leader.run("SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'")
                return (replica.name,) not in streaming

            wait_until("failure of the replica with the full disk", is_gone, within=60, pause=0.25)
            time.sleep(HOLD)
        finally:
            replica.free_disk()

    def _wait_for_primary(self, phase, old):
        wait_until("new primary", lambda: self.cluster.new_leader(old), pause=0.05)
        phase.new_primary_after = time.monotonic() - phase.acted

    def _wait_for_an_old_key(self):
        """Returns shortly before the primary renews its key. A frozen primary loses the key up to one interval earlier than its lifetime.
        Without this wait, the time until a new primary would differ by that interval from run to run."""
        self._leader_of_old_key = self.cluster.leader
        last = self._key_seconds()
        while (now := self._key_seconds()) <= last:
            last = now
            time.sleep(0.02)
        time.sleep(LOOP_WAIT - 0.5)

    def _key_seconds(self):
        """The rest of the lifetime of the primary's key in etcd, in whole seconds."""
        url = f"http://127.0.0.1:{self.cluster.etcd_port}/v2/keys/service/espalier/leader"
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)["node"]["ttl"]


NEEDS_A_KEY_OF_KNOWN_AGE = ("lose", "freeze")
DESCRIPTIONS = {
    "steady": "no disturbance",
    "kill": "SIGKILL to PostgreSQL of the primary",
    "lose": f"SIGKILL to PostgreSQL and Patroni of the primary, whose key lives for {TTL} s",
    "freeze": f"SIGSTOP to PostgreSQL and Patroni of the primary, whose key lives for {TTL} s",
    "switchover": "the primary hands over to the synchronous replica",
    "cut": "SIGKILL to one server",
    "rolling": "SIGTERM to one server after the other",
    "disk": "a full disk at the synchronous replica",
}
