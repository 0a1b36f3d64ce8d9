"""A small HTTP/1.1 client for asyncio. It sends a request once, and never again, so that each failure is counted."""

import asyncio
import time
from urllib.parse import urlencode, urlsplit

# The reply of a server that ends, or of haproxy, would come within a few seconds. An application does not wait longer for a login.
TIMEOUT = 15
# Shorter than the time after which haproxy and the simulator close an idle connection.
IDLE = 10


class NoAnswer(Exception):
    """There is no complete response. The text says why."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def header(self, name):
        return next((value for key, value in self.headers if key == name), None)

    def cookies(self):
        return "; ".join(value.split(";")[0] for key, value in self.headers if key == "set-cookie")


class Client:
    def __init__(self):
        self.idle = {}

    async def send(self, method, url, form=None, headers=()):
        """Raises NoAnswer."""
        parts = urlsplit(url)
        path = (parts.path or "/") + ("?" + parts.query if parts.query else "")
        body = urlencode(form).encode() if form is not None else b""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc}"] + [f"{name}: {value}" for name, value in headers]
        if form is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        request = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        try:
            async with asyncio.timeout(TIMEOUT):
                return await self._exchange(parts.hostname, parts.port, request)
        except TimeoutError:
            raise NoAnswer("timeout") from None
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            raise NoAnswer("connection lost" if isinstance(error, asyncio.IncompleteReadError) else type(error).__name__) from None

    async def _exchange(self, host, port, request):
        reader, writer = await self._connection(host, port)
        is_reusable = False
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            status = int(head[0].split(" ")[1])
            headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in head[1:] if line)]
            answer = Answer(status, headers, "")
            answer.body = (await self._body(reader, answer)).decode()
            is_reusable = answer.header("connection") != "close"
            return answer
        finally:
            if is_reusable:
                self.idle.setdefault((host, port), []).append((reader, writer, time.monotonic()))
            else:
                writer.close()

    async def _body(self, reader, answer):
        if answer.header("transfer-encoding") == "chunked":
            body = b""
            while size := int((await reader.readuntil(b"\r\n")).strip(), 16):
                body += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readexactly(2)
            return body
        return await reader.readexactly(int(answer.header("content-length") or 0))

    async def _connection(self, host, port):
        free = self.idle.setdefault((host, port), [])
        while free:
            # The one used last, because it is the least likely to be closed.
            reader, writer, since = free.pop()
            if time.monotonic() - since < IDLE and not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return await asyncio.open_connection(host, port)
