"""A small app, as the scenarios test it: it sends each request once, and does not catch what goes wrong."""

from __future__ import annotations

import json
from base64 import b64encode
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode

from selfie_control import SelfieServer

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c49444154789c63f8100000000374013100000000000049454e44ae426082"
)
LOST = (OSError, HTTPException)


class App:
    def __init__(self, server: SelfieServer, token: str = "ada-token") -> None:
        self.server = server
        self.token = token
        self.headers = dict(server.headers)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        timeout: float = 60,
        **headers: str,
    ) -> tuple[int, bytes]:
        """The status and the body. A connection of its own: on one used before, a lost request might be sent again."""
        host, _, port = self.server.url.partition("//")[2].partition(":")
        connection = HTTPConnection(host, int(port), timeout=timeout)
        sent = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path: str, **members: Any) -> int:
        query = f"?{urlencode(members)}" if members else ""
        return self.send("GET", path + query, Authorization=f"Token token={self.token}")[0]

    def photos(self, timeout: float = 60) -> tuple[int, bytes]:
        return self.send("GET", "/api/get_photos", None, timeout, Authorization=f"Token token={self.token}")

    def refresh(self) -> int:
        status, body = self.send("POST", "/api/refresh_token", b"", Authorization=f"Bearer {self.token}")
        if status == 200:
            self.token = json.loads(body)["api_authtoken"]
        return status

    def post(self, path: str, **members: str) -> int:
        """Sends JSON with the API's credentials."""
        name, password = self.server.api_auth_name, self.server.api_auth_password
        basic = b64encode(f"{name}:{password}".encode()).decode()
        body = json.dumps(members).encode()
        return self.send("POST", path, body, Authorization=f"Basic {basic}", Content_Type="application/json")[0]

    def upload(self, image: bytes = PNG, title: str = "Me", timeout: float = 60) -> int:
        lines = [
            b"--b",
            b'Content-Disposition: form-data; name="title"',
            b"",
            title.encode(),
            b"--b",
            b'Content-Disposition: form-data; name="image"; filename="me.png"',
            b"Content-Type: image/png",
            b"",
            image,
            b"--b--",
            b"",
        ]
        return self.send(
            "POST",
            "/api/upload_photo",
            b"\r\n".join(lines),
            timeout,
            Authorization=f"Token token={self.token}",
            Content_Type="multipart/form-data; boundary=b",
        )[0]
