"""Runs `espalier serve` as in production, behind https and on another site, with the database and the Apple simulator of `espalier-dev`."""

import asyncio
import json
import os
import ssl
import subprocess
import sys
import threading
import time

import requests

from dev_server import built, complaints_in, end_with_parent
from spec import ROOT


class HTTPSServer:
    def __init__(self, dev, certificate):
        self.dev, self.tls, self.process = dev, TLSEnd(certificate), None
        self.origin = f"https://login.example.test:{self.tls.port}"
        self.log = dev.folder / "https.log"

    def __enter__(self):
        # Where the cluster's socket is; its own folder, whatever that is called.
        socket = next(self.dev.data.rglob(".s.PGSQL.5432"))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [built("espalier"), "serve"], cwd=ROOT, stdout=log, stderr=log, preexec_fn=end_with_parent,
                env=os.environ | {
                    "ESPALIER_PUBLIC_URL": self.origin, "ESPALIER_PORT": "0", "ESPALIER_OPERATIONS_PORT": "0",
                    "ESPALIER_SHUTDOWN_DELAY": "0",
                    "ESPALIER_DATABASE_URL": f"postgresql://espalier_server@/espalier?host={socket.parent}",
                    "ESPALIER_MASTER_KEYS": (self.dev.data / "master-key").read_text().strip(),
                    "ESPALIER_APPLE_BASE_URL": self.dev.settings["simulator_url"], "ESPALIER_TRUSTED_PROXIES": "1"})
        try:
            port = self.wait()
            self.register("com.example.acme.web", f"{self.origin}/t/acme/auth/apple/callback")
        except BaseException:
            self.__exit__()
            raise
        self.tls.lead_to(port)
        # For programs, which need not believe the certificate.
        self.backend = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait(self):
        """Until it says that it serves, and on which port."""
        deadline = time.monotonic() + 60
        while True:
            said = self.log.read_text(errors="replace")
            for line in said.splitlines(keepends=True):
                if line.endswith("\n") and '"serving"' in line:
                    return int(json.loads(line)["port"])
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"espalier serve did not start:\n{said[-4000:]}")
            time.sleep(0.02)

    def complaints(self):
        return complaints_in(self.log)

    def register(self, services_id, return_url):
        """At Apple, beside those that are there."""
        portal = f"{self.dev.settings['simulator_url']}/simulator"
        team, known = next(
            (team["id"], each) for team in requests.get(f"{portal}/registry").json()["teams"] for each in team["services_ids"]
            if each["id"] == services_id)
        requests.put(f"{portal}/services-ids/{services_id}", json={
            "team": team, "display_name": known["display_name"], "return_urls": [*known["return_urls"], return_url]}).raise_for_status()


class TLSEnd:
    """Takes https on a loopback port of its own, and leads to another in the clear. Lives as long as the script."""

    def __init__(self, certificate):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._connect, "127.0.0.1", 0, ssl=self._context), self._loop).result()
        self.port = server.sockets[0].getsockname()[1]

    def lead_to(self, port):
        self._target = port

    async def _connect(self, reader, writer):
        try:
            back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._target)
            await asyncio.gather(_pass_on(reader, back_writer), _pass_on(back_reader, writer))
        except OSError:
            # Browsers hang up as they like.
            writer.close()


async def _pass_on(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def make_certificate(folder):
    """One that nobody vouches for, with its key, in one file."""
    file = folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=example.test", "-keyout", file, "-out", folder / "public.pem"], check=True, capture_output=True)
    with open(file, "a", encoding="ascii") as both:
        both.write((folder / "public.pem").read_text())
    return file
