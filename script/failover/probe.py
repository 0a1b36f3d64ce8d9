"""Asks every server for /healthz and a JWKS every 20 ms, and a control: a server that only responds, without any work.

Usage: probe.py SETTINGS SAMPLES     probes until SIGTERM
       probe.py --control PORT       is the control

SAMPLES receives one line per request: target, time of sending, time of the response, status, and the part of the time in which the
server and the prober waited for a processor. A status of 0 means that there was no response. On a busy machine, every thread sometimes
waits for a processor, and the kernel counts these waits. A virtual machine also waits for its host. The rest of the time is the server's
own.
"""

import bisect
import json
import os
import selectors
import signal
import socket
import sys
import time

INTERVAL = 0.02
TIMEOUT = 20
CONTROL = "control"


# The kernel's counters are read only for a response that took longer than this, in seconds.
SLOW = 0.01


class Processors:
    """How long the threads of a server and of the prober waited for a processor, by /proc/PID/task/TID/schedstat."""

    def __init__(self, path):
        """The file has the ID of the server's process."""
        self.path, self.files, self.due = path, {}, 0
        self.own = os.open("/proc/self/schedstat", os.O_RDONLY)

    def waits(self, now):
        """The wait of each thread since its start, in nanoseconds. The prober has the ID 0."""
        if now > self.due:
            self.due = now + 1
            self.find_threads()
        found = {0: int(os.pread(self.own, 64, 0).split()[1])}
        for thread, file in list(self.files.items()):
            try:
                found[thread] = int(os.pread(file, 64, 0).split()[1])
            except (OSError, IndexError):
                # The thread has ended.
                os.close(self.files.pop(thread))
        return found

    def find_threads(self):
        try:
            with open(self.path, encoding="ascii") as file:
                folder = f"/proc/{file.read()}/task"
            threads = {int(name): f"{folder}/{name}/schedstat" for name in os.listdir(folder)}
        except OSError:
            threads = {}
        for thread in self.files.keys() - threads.keys():
            os.close(self.files.pop(thread))
        for thread in threads.keys() - self.files.keys():
            try:
                self.files[thread] = os.open(threads[thread], os.O_RDONLY)
            except OSError:
                pass

    def since(self, before, now):
        """The wait of a response since a snapshot, in seconds: a request passes a thread of the network, a thread of the handler and the
        prober. The other threads of the server do not delay it."""
        after = self.waits(now)
        threads = sorted(after[thread] - before[thread] for thread in before if thread and thread in after)
        return (sum(threads[-2:]) + after[0] - before[0]) / 1e9


class Host:
    """How long each processor of a virtual machine waited for its host, by /proc/stat (proc_stat(5), "steal")."""

    TICK = os.sysconf("SC_CLK_TCK")
    # The number of kept samples. With one per interval, they are older than every request that still waits.
    KEPT = int(TIMEOUT / INTERVAL) + 100

    def __init__(self, path="/proc/stat"):
        self.file = os.open(path, os.O_RDONLY)
        self.times, self.stolen = [], []

    def sample(self, now):
        if self.times and now < self.times[-1] + INTERVAL:
            return
        self.times.append(now)
        self.stolen.append(self.read())
        if len(self.times) > 2 * self.KEPT:
            del self.times[:self.KEPT], self.stolen[:self.KEPT]

    def read(self):
        """The time of each processor since the start of the machine, in ticks."""
        lines = (line.split() for line in os.pread(self.file, 65_536, 0).split(b"\n"))
        return {fields[0]: int(fields[8]) for fields in lines if len(fields) > 8 and fields[0].startswith(b"cpu") and fields[0] != b"cpu"}

    def since(self, sent):
        """The wait of the processor that waited longest, in seconds, from the last sample before a request was sent."""
        first = max(0, bisect.bisect_right(self.times, sent) - 1)
        before, after = self.stolen[first], self.read()
        return max((after[each] - before.get(each, 0) for each in after), default=0) / self.TICK


class Target:
    """One address with one connection. The next request waits for the response of the last one. The report adds the requests that were
    not sent during it."""

    def __init__(self, name, port, path, processors, host, selector, samples):
        self.name, self.port, self.processors, self.host, self.selector, self.samples = name, port, processors, host, selector, samples
        self.request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        self.connection = self.sent = None
        self.received = b""

    def tick(self, now):
        if self.sent is not None:
            if now - self.sent > TIMEOUT:
                self.finish(0, now)
                self.close()
            return
        if self.connection is None and not self.connect():
            self.sent, self.before = now, {}
            self.finish(0, now)
            return
        self.sent, self.before = now, self.processors.waits(now) if self.processors else {}
        try:
            self.connection.send(self.request)
        except OSError:
            self.lose(now)

    def connect(self):
        connection = socket.socket()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # On loopback, a listening socket accepts or refuses at once, unless its queue is full.
        connection.settimeout(0.005)
        try:
            connection.connect(("127.0.0.1", self.port))
        except OSError:
            connection.close()
            return False
        connection.setblocking(False)
        self.connection = connection
        self.selector.register(connection, selectors.EVENT_READ, self)
        return True

    def read(self, now):
        try:
            data = self.connection.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.lose(now)
            return
        self.received += data
        head, found, body = self.received.partition(b"\r\n\r\n")
        if found and self.sent is not None:
            length = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
            if len(body) >= length:
                self.finish(int(head.split(b" ", 2)[1]), now)

    def lose(self, now):
        if self.sent is not None:
            self.finish(0, now)
        self.close()

    def close(self):
        if self.connection is not None:
            self.selector.unregister(self.connection)
            self.connection.close()
        self.connection, self.received = None, b""

    def finish(self, status, now):
        waited = 0
        if self.processors and now - self.sent > SLOW:
            # A thread may also wait for a processor that waits for the host. So the two are not added.
            waited = max(self.processors.since(self.before, now), self.host.since(self.sent))
        self.samples.write(f"{self.name} {self.sent:.6f} {now:.6f} {status} {waited:.6f}\n")
        self.sent, self.received = None, b""


def probe(settings, samples):
    selector, host = selectors.DefaultSelector(), Host()
    targets = [
        Target(each["name"], each["port"], each["path"], each["pid"] and Processors(each["pid"]), host, selector, samples)
        for each in settings["targets"]]
    is_open = True

    def close(*_):
        nonlocal is_open
        is_open = False

    signal.signal(signal.SIGTERM, close)
    due = [time.monotonic() + INTERVAL * number / len(targets) for number in range(len(targets))]
    while is_open:
        now = time.monotonic()
        host.sample(now)
        for key, _ in selector.select(max(0, min(due) - now)):
            key.data.read(time.monotonic())
        for number, target in enumerate(targets):
            now = time.monotonic()
            if now >= due[number]:
                target.tick(now)
                # After a wait for a processor, the missed requests are not sent all at once.
                due[number] = max(due[number] + INTERVAL, now)


def control(port):
    """Each connection sends one small request at a time."""
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", port))
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(connection, selectors.EVENT_READ)
            elif key.fileobj.recv(4_096):
                key.fileobj.send(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()


def main():
    if sys.argv[1] == "--control":
        control(int(sys.argv[2]))
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    with open(sys.argv[2], "w", encoding="utf-8") as samples:
        probe(settings, samples)


if __name__ == "__main__":
    main()
