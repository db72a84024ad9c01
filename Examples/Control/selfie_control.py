"""The control interface of selfie-server for Python 3.9 and newer, without further packages.

    with SelfieServer.start("selfie-server") as server:
        server.seed(users=[{"email": "ada@example.com", "tokens": ["ada-token"]}])
        server.seed(microblog={"users": [{"name": "ada", "sessions": [{}], "blogposts": ["Hello"]}]})
        server.clock(advance="25h")
        server.verify(exactly=1, method="POST", path="/api/signin")
"""

import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from base64 import b64encode
from copy import copy


class ControlError(Exception):
    """An error response. Its message says what is wrong, and what would be right."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class SelfieServer:
    """A server, or one world of it."""

    def __init__(self, url, control_name=None, control_password=None, world=None):
        """Uses a server that was started elsewhere. The name and the password are those of its control interface."""
        self.url = url
        self._control = (control_name, control_password)
        self._world = world
        self._process = None

    @classmethod
    def start(cls, executable="selfie-server", *arguments):
        """Starts a server on a free port that keeps nothing. It ends when this process ends."""
        with tempfile.TemporaryDirectory() as folder:
            ready = os.path.join(folder, "ready.json")
            process = subprocess.Popen(
                [executable, "serve", "--ephemeral", "--ready-file", ready]
                + ["--exit-with-parent", "--parent-pid", str(os.getpid()), *arguments],
                stdout=subprocess.DEVNULL,
                # Standard error stays this process's: it says why the server does not start.
                env={"LOG_LEVEL": "error", **os.environ},
            )
            deadline = time.monotonic() + 10
            while not os.path.exists(ready):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{executable} did not start")
                time.sleep(0.005)
            with open(ready) as file:
                facts = json.load(file)
        server = cls(facts["url"], facts["control_name"], facts["control_password"])
        server.api_auth_name, server.api_auth_password = facts["api_auth_name"], facts["api_auth_password"]
        server._process = process
        return server

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Stops the server, if it was started here."""
        if self._process:
            self._process.terminate()
            self._process.wait()

    def world(self, name):
        """The same server with data of its own, for a test that runs in parallel: sends `X-Test-World`."""
        world = copy(self)
        world._world, world._process = name, None
        return world

    def request(self, method, address, body=None):
        """Sends a request to an address below /__admin/, and returns the JSON of the response."""
        request = urllib.request.Request(f"{self.url}/__admin/{address}", method=method)
        if all(self._control):
            secret = ":".join(self._control).encode()
            request.add_header("Authorization", "Basic " + b64encode(secret).decode())
        if self._world:
            request.add_header("X-Test-World", self._world)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ControlError(error.code, json.load(error)["message"]) from None

    def reset(self):
        """Returns the server to its initial state."""
        return self.request("POST", "reset")

    def seed(self, **members):
        return self.request("POST", "seed", members)

    def state(self):
        """Returns what is stored, as a seed: seed(**state) stores it again."""
        return self.request("GET", "state")

    def save_snapshot(self, name):
        return self.request("POST", f"snapshots/{name}")

    def restore_snapshot(self, name):
        return self.request("POST", f"snapshots/{name}/restore")

    def remove_snapshot(self, name):
        return self.request("DELETE", f"snapshots/{name}")

    def remove_world(self, name):
        return self.request("DELETE", f"worlds/{name}")

    def clock(self, **members):
        """Sets the clock (advance="25h", freeze="2026-01-01T00:00:00Z", run=True …), or returns it."""
        return self.request("POST", "clock", members) if members else self.request("GET", "clock")

    def expire_tokens(self, email=None):
        """Expires the tokens of a user, or of all users."""
        return self.request("POST", "tokens/expire", {"email": email} if email else {})

    def revoke_tokens(self, email=None):
        """Revokes the tokens of a user, or of all users."""
        return self.request("POST", "tokens/revoke", {"email": email} if email else {})

    def add_fault(self, **rule):
        return self.request("POST", "faults", rule)

    def remove_faults(self):
        return self.request("DELETE", "faults")

    def requests(self):
        return self.request("GET", "requests")["requests"]

    def count(self, **filter):
        """How many requests there were."""
        return self.request("POST", "requests/count", filter)["matched"]

    def verify(self, **expectation):
        """Raises ControlError unless there were as many requests (exactly, at_least, at_most) as expected."""
        return self.request("POST", "requests/verify", expectation)

    def wait_for(self, **expectation):
        """Returns when there were `count` requests (1 by default); raises ControlError after `timeout`."""
        return self.request("POST", "requests/wait", expectation)
