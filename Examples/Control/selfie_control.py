"""The control interface of selfie-server for Python 3.9 and newer, without further packages.

    with SelfieServer.start() as server:
        server.seed(users=[{"email": "ada@example.com", "tokens": ["ada-token"]}])
        server.seed(microblog={"users": [{"name": "ada", "sessions": [{}], "blogposts": ["Hello"]}]})
        server.clock(advance="25h")
        server.verify(exactly=1, method="POST", path="/api/signin")
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from base64 import b64encode
from collections import deque
from copy import copy
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

Json = dict[str, Any]

# Runs a container, writes its address to a file, and stops it on SIGTERM and when this process has ended.
_RUN_IMAGE = """
PATH="$PATH:/usr/local/bin:/opt/homebrew/bin" name="$1" parent="$2" ready="$3"
shift 3
trap '' INT
"$0" run --rm --name "$name" --shm-size 1g "$@" &
trap 'kill $!' TERM
{
  until "$0" exec "$name" selfie-server health && "$0" port "$name" 3000 >"$ready.partial" \\
    && "$0" port "$name" 3001 >>"$ready.partial"; do
    kill -0 $! || exit
    sleep 0.1
  done
  mv "$ready.partial" "$ready"
  while kill -0 "$parent" && kill -0 $!; do sleep 0.1; done
  while kill $!; do sleep 0.1; done
} >/dev/null 2>&1
wait $!
"""

# pytest shows the line of the test that calls this, and not what follows here.
__tracebackhide__ = True


class ControlError(Exception):
    """An error response. Its message says what is wrong, and what would be right."""

    def __init__(self, status: int | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        """None if there was no response."""


class ExchangeMismatch(ControlError, AssertionError):
    """The requests were not as expected. The message is the server's, which describes what happened instead."""


@dataclass(frozen=True)
class SelfieUser:
    """A user who has signed in."""

    email: str
    password: str
    token: str
    headers: dict[str, str]
    """The header fields of the user's requests: those of the world, and the token."""


class SelfieServer:
    """A server, or one world of it."""

    def __init__(
        self,
        url: str,
        control_name: str | None = None,
        control_password: str | None = None,
        world: str | None = None,
        control_url: str | None = None,
        evict: bool = False,
    ) -> None:
        """Uses a server that was started elsewhere. The name and the password are those of its control interface.

        control_url is the address of the control interface, if that has a port of its own. With evict, the least
        recently used world ends if there are too many, even if it was used within the last hour.
        """
        self.url = _address(url)
        self.control_url = _address(control_url or url)
        self.api_auth_name = os.environ.get("API_AUTH_NAME", "selfie-tests")
        self.api_auth_password = os.environ.get(
            "API_AUTH_PASSWORD", "0000000000000000selfie0server0ephemeral0password0000000000000000"
        )
        self._control = f"{control_name}:{control_password}" if control_name and control_password else None
        self._world = world
        self._evict = evict
        self._process: subprocess.Popen[bytes] | None = None
        # A proxy cannot reach this machine's own addresses.
        host = urlsplit(self.control_url).hostname or ""
        is_local = host in ("localhost", "::1") or host.startswith("127.")
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({} if is_local else None))

    @classmethod
    def start(
        cls,
        executable: str | None = None,
        *arguments: str,
        settings: dict[str, str] | None = None,
        evict: bool = False,
    ) -> SelfieServer:
        """Starts a server on a free port that keeps nothing. It ends when this process ends. Arguments go to its command
        serve, and settings, such as {"TOKEN_LIFETIME": "1m"}, into its environment.

        Without an executable, it uses a world of its own of the server at SELFIE_URL, whose CONTROL_CREDENTIALS are
        NAME:PASSWORD, and whose control interface may be at SELFIE_CONTROL_URL instead; or starts the executable SELFIE_SERVER, a container of SELFIE_IMAGE, or the selfie-server in PATH.
        SELFIE_DOCKER is the command for containers, docker by default.
        """
        url = os.environ.get("SELFIE_URL")
        if executable is None and url:
            name, _, password = os.environ.get("CONTROL_CREDENTIALS", "").partition(":")
            return cls(url, name, password, uuid.uuid4().hex, os.environ.get("SELFIE_CONTROL_URL"), evict)
        environment = {"LOG_LEVEL": "error", **os.environ, "PORT": "0", **(settings or {})}
        executable = executable or os.environ.get("SELFIE_SERVER")
        image = None if executable else os.environ.get("SELFIE_IMAGE")
        executable = executable or (os.environ.get("SELFIE_DOCKER", "docker") if image else "selfie-server")
        if not shutil.which(executable):
            raise RuntimeError(
                f"There is no executable {executable}. Set SELFIE_SERVER to the path of selfie-server, "
                "SELFIE_IMAGE to the name of its image, or SELFIE_URL to the address of a server that runs."
            )
        with tempfile.TemporaryDirectory() as folder:
            ready = os.path.join(folder, "ready.json")
            command = [executable, "serve", "--ephemeral", "--ready-file", ready]
            command += ["--exit-with-parent", "--parent-pid", str(os.getpid())]
            if image:
                environment.update(CONTROL_NAME="tests", CONTROL_PASSWORD=uuid.uuid4().hex)
                names = ["LOG_LEVEL", "API_AUTH_NAME", "API_AUTH_PASSWORD", "CONTROL_NAME", "CONTROL_PASSWORD", *(settings or {})]
                command = ["sh", "-c", _RUN_IMAGE, executable, f"selfie-{uuid.uuid4()}", str(os.getpid()), ready]
                command += [part for name in names for part in ("--env", name)]
                command += ["--env", "CONTROL_ADDRESS=0.0.0.0:3001"]
                command += ["--publish", "127.0.0.1::3000", "--publish", "127.0.0.1::3001", image, "serve", "--ephemeral"]
            process = subprocess.Popen(
                [*command, *arguments],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
            )
            lines: deque[str] = deque(maxlen=20)
            copier = threading.Thread(target=_copy_errors, args=(process, lines), daemon=True)
            copier.start()
            # An image may have to be pulled first.
            deadline = time.monotonic() + 300
            while not os.path.exists(ready):
                if process.poll() is not None or time.monotonic() > deadline:
                    process.terminate()
                    copier.join(1)
                    raise RuntimeError(f"{image or executable} did not start. {''.join(lines).strip()}")
                time.sleep(0.005)
            with open(ready) as file:
                text = file.read()
        if image:
            address, control = text.split()
            server = cls(
                f"http://{address}",
                environment["CONTROL_NAME"],
                environment["CONTROL_PASSWORD"],
                control_url=f"http://{control}",
            )
        else:
            facts = json.loads(text)
            server = cls(
                facts["url"], facts["control_name"], facts["control_password"], control_url=facts.get("control_url")
            )
            server.api_auth_name, server.api_auth_password = facts["api_auth_name"], facts["api_auth_password"]
        server._process = process
        return server

    def __enter__(self) -> SelfieServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops the server, if it was started here. Of a world, only the world ends."""
        if self._process:
            self._process.terminate()
            self._process.wait()
        elif self._world:
            self.remove_world(self._world)

    def world(self, name: str, evict: bool = False) -> SelfieServer:
        """The same server with data of its own, for a test that runs in parallel."""
        world = copy(self)
        world._world, world._evict, world._process = name, evict, None
        return world

    def worlds(self) -> list[str]:
        """The names of all worlds but the main one."""
        return list(self.request("GET", "worlds")["worlds"])

    @property
    def base_url(self) -> str:
        """The address of the API, BASE_URL in the app."""
        return f"{self.url}/api"

    @property
    def headers(self) -> dict[str, str]:
        """The header fields that all requests of the app must have: the name of the world."""
        return {"X-Test-World": f"{self._world};evict" if self._evict else self._world} if self._world else {}

    def request(self, method: str, address: str, body: Json | None = None) -> Json:
        """Sends a request to an address below /__admin/, and returns the JSON of the response."""
        url = f"{self.control_url}/__admin/{address}"
        request = urllib.request.Request(url, method=method, headers=self.headers)
        if self._control:
            request.add_header("Authorization", "Basic " + b64encode(self._control.encode()).decode())
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            # A wait for requests takes a minute at most.
            with self._opener.open(request, timeout=120) as response:
                answer: Json = json.load(response)
                return answer
        except urllib.error.HTTPError as error:
            raise _failure(error) from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise ControlError(None, f"{url}: {reason}. Has the server ended, or never started?") from None

    def reset(self) -> Json:
        """Returns the server to its initial state."""
        return self.request("POST", "reset")

    def seed(self, **members: Any) -> Json:
        return self.request("POST", "seed", members)

    def add_user(self, email: str = "ada@example.com", password: str = "secret12") -> SelfieUser:
        """Adds a user with one token."""
        user = self.seed(users=[{"email": email, "password": password, "tokens": [{}]}])["users"][0]
        token: str = user["tokens"][0]["token"]
        return SelfieUser(email, password, token, {**self.headers, "Authorization": f"Token token={token}"})

    def state(self) -> Json:
        """Returns what is stored, as a seed: seed(**state) stores it again."""
        return self.request("GET", "state")

    def save_snapshot(self, name: str) -> Json:
        return self.request("POST", f"snapshots/{name}")

    def restore_snapshot(self, name: str) -> Json:
        return self.request("POST", f"snapshots/{name}/restore")

    def remove_snapshot(self, name: str) -> Json:
        return self.request("DELETE", f"snapshots/{name}")

    def remove_world(self, name: str) -> Json:
        return self.request("DELETE", f"worlds/{name}")

    def clock(self, **members: Any) -> Json:
        """Sets the clock (advance="25h", freeze="2026-01-01T00:00:00Z", run=True …), or returns it."""
        return self.request("POST", "clock", members) if members else self.request("GET", "clock")

    def expire_tokens(self, email: str | None = None) -> Json:
        """Expires the tokens of a user, or of all users."""
        return self.request("POST", "tokens/expire", {"email": email} if email else {})

    def revoke_tokens(self, email: str | None = None) -> Json:
        """Revokes the tokens of a user, or of all users."""
        return self.request("POST", "tokens/revoke", {"email": email} if email else {})

    def add_fault(self, **rule: Any) -> Json:
        return self.request("POST", "faults", rule)

    def faults(self) -> Json:
        """The rules and what they have done ("faults"), and the fault of connections ("connections"), if there is one."""
        return self.request("GET", "faults")

    def remove_fault(self, id: int) -> Json:
        return self.request("DELETE", f"faults/{id}")

    def remove_faults(self) -> Json:
        """Removes all rules, and ends a fault of connections."""
        return self.request("DELETE", "faults")

    def fail_connections(self, fault: str, duration: str) -> Json:
        """Lets new connections of all worlds fail for up to a minute ("refused", "2s").

        "0s" ends this, and so do remove_faults, reset and the end of this world. Over TLS, "expired", "wrong_name" and
        "unknown_root" show such a certificate.
        """
        return self.request("POST", "faults/connections", {"fault": fault, "for": duration})

    def requests(self, **filter: Any) -> list[Json]:
        """The requests that have ended, and their responses, oldest first."""
        members = {name: value for name, value in filter.items() if not isinstance(value, dict)}
        for name, values in filter.items():
            if isinstance(values, dict):
                members.update({f"{name}[{key}]": value for key, value in values.items()})
        return list(self.request("GET", f"requests?{urlencode(members)}")["requests"])

    def last_id(self) -> int:
        """The id of the newest request, for `since`."""
        return int(self.request("GET", "requests?limit=0")["last_id"])

    def clear_requests(self) -> Json:
        return self.request("DELETE", "requests")

    def count(self, **filter: Any) -> int:
        """How many requests there were."""
        return int(self.request("POST", "requests/count", filter)["matched"])

    def verify(self, **expectation: Any) -> Json:
        """Raises ExchangeMismatch unless there were as many requests (exactly, at_least, at_most) as expected."""
        return self.request("POST", "requests/verify", expectation)

    def wait_for(self, **expectation: Any) -> Json:
        """Returns when there were `count` requests (1 by default); raises ExchangeMismatch after `timeout`."""
        return self.request("POST", "requests/wait", expectation)


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError(f"{url} must be an address without a path, such as http://localhost:3000.")
    return url.rstrip("/")


def _copy_errors(process: subprocess.Popen[bytes], lines: deque[str]) -> None:
    """Passes on the standard error of a server, and keeps its last lines: they say why it does not start."""
    for line in process.stderr or []:
        text = line.decode(errors="replace")
        lines.append(text)
        sys.stderr.write(text)


def _failure(error: urllib.error.HTTPError) -> ControlError:
    try:
        answer = json.load(error)
        kind = ExchangeMismatch if "near" in answer else ControlError
        return kind(error.code, answer.get("text", answer["message"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return ControlError(error.code, f"{error.url} is not of a selfie-server with --ephemeral or --control.")
