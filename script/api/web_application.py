"""A web application that users sign in to, on a loopback port of its own: it keeps what browsers bring it."""

import queue
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

PATIENCE = 20


@dataclass
class Visit:
    method: str
    path: str
    fields: dict
    headers: dict


@dataclass
class Page:
    body: str
    status: int = 200
    headers: tuple = ()


class WebApplication(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, tls=None):
        """`tls`: what takes https for it, on another site."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        if tls:
            tls.lead_to(self.server_port)
            self.origin = f"https://application.test:{tls.port}"
        self.pages, self._visits = {}, queue.Queue()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def visit(self):
        """The next one, which may still be on its way."""
        try:
            return self._visits.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"the browser did not come to {self.origin}") from None

    def expect_no_other(self):
        assert self._visits.empty(), f"an unexpected {self._visits.get().method} at {self.origin}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(urlsplit(self.path).query)

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def answer(self, encoded):
        path = urlsplit(self.path).path
        if path != "/favicon.ico":
            fields = parse_qsl(encoded, keep_blank_values=True, strict_parsing=bool(encoded))
            assert len(dict(fields)) == len(fields), "a field is repeated"
            self.server._visits.put(Visit(self.command, path, dict(fields), {name.lower(): value for name, value in self.headers.items()}))
        page = self.server.pages.get(path, Page("<title>Arrived</title><p>Arrived"))
        body = page.body.encode()
        self.send_response(page.status)
        for name, value in (*page.headers, ("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
