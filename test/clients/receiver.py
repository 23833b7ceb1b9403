"""A webhook receiver like that of a user: it checks the signature of the raw bytes."""

import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT_SECONDS = 20


@dataclass(frozen=True)
class Delivery:
    headers: dict[str, str]
    body: bytes
    verified: bool

    @property
    def payload(self) -> dict[str, Any]:
        return json.loads(self.body)


class Receiver:
    """
    Listens on a free port of the loopback interface. Responds with 200 to a valid signature and with 403 to an invalid
    one. Without a secret it accepts everything.
    """

    def __init__(self, secret: str | None) -> None:
        self.secret = secret
        self.deliveries: list[Delivery] = []
        self._arrived = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                delivery = receiver.keep({name.lower(): value for name, value in self.headers.items()}, body)
                answer = b"thank you" if delivery.verified else b"bad signature"
                self.send_response(200 if delivery.verified else 403)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "Receiver":
        self._thread.start()
        return self

    def __exit__(self, *_args: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/hook"

    def keep(self, headers: dict[str, str], body: bytes) -> Delivery:
        delivery = Delivery(headers, body, self._verifies(headers, body))
        with self._arrived:
            self.deliveries.append(delivery)
            self._arrived.notify_all()
        return delivery

    def _verifies(self, headers: dict[str, str], body: bytes) -> bool:
        if self.secret is None:
            return True
        expected = "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(expected, headers.get("x-signature-256", ""))

    def wait_for(self, event: str, fits: Callable[[dict[str, Any]], bool] = lambda _: True, count: int = 1) -> Delivery:
        """Waits for the `count`-th delivery of the event whose payload fits, including earlier ones; fails after 20 s."""

        def fitting() -> list[Delivery]:
            return [d for d in self.deliveries if d.payload["event"] == event and fits(d.payload)]

        with self._arrived:
            if not self._arrived.wait_for(lambda: len(fitting()) >= count, timeout=WAIT_SECONDS):
                seen = [d.payload["event"] for d in self.deliveries]
                raise AssertionError(f"No fitting {event} arrived within {WAIT_SECONDS} s; arrived: {seen}")
            return fitting()[count - 1]
