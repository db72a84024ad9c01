"""selfie_control and its fixtures, with real servers."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest
from selfie_control import ControlError, ExchangeMismatch, SelfieServer, SelfieUser

CONTROL = Path(__file__).parents[2] / "Examples/Control"
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def no_server_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFIE_URL", raising=False)


def worlds(server: SelfieServer) -> list[str]:
    return list(server.request("GET", "worlds")["worlds"])


@pytest.mark.parametrize("number", range(8))
def test_each_test_has_a_world_and_a_user_of_its_own(
    number: int, selfie_world: SelfieServer, selfie_user: SelfieUser
) -> None:
    request = urllib.request.Request(f"{selfie_world.base_url}/get_photos", headers=selfie_user.headers)
    assert json.load(DIRECT.open(request)) == []
    assert selfie_world.count(path="/api/get_photos", status=200) == 1
    assert [user["email"] for user in selfie_world.state()["users"]] == [selfie_user.email]


def test_a_world_ends_with_its_test(
    selfie_server: SelfieServer, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester
) -> None:
    before = worlds(selfie_server)
    pytester.makepyfile(
        """
        def test_world(selfie_server, selfie_world, selfie_user):
            name = selfie_world.headers["X-Test-World"]
            assert name in selfie_server.request("GET", "worlds")["worlds"]
        """
    )
    monkeypatch.setenv("SELFIE_URL", selfie_server.url)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    assert worlds(selfie_server) == before


def test_a_failed_check_shows_the_servers_message_at_the_line_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from urllib.request import Request, urlopen
        import pytest

        def test_photos(selfie_world):
            with pytest.raises(OSError, match="401"):
                urlopen(Request(f"{selfie_world.base_url}/get_photos", headers=selfie_world.headers))
            selfie_world.verify(method="GET", path="/api/get_photos", status=200, exactly=1)
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            ">*selfie_world.verify(*",
            "E*ExchangeMismatch: Expected exactly 1 GET /api/get_photos with status 200, but there was none.",
            "E*The nearest is:",
            "E*#1 GET /api/get_photos -> 401 *: the status is 401",
            "*test_a_failed_check_*.py:7: ExchangeMismatch",
        ]
    )


def test_verify_and_wait_for_raise_the_whole_message(selfie_world: SelfieServer, selfie_user: SelfieUser) -> None:
    expectation = {"path": "/api/get_photos", "exactly": 1}
    request = urllib.request.Request(
        f"{selfie_world.url}/__admin/requests/verify", json.dumps(expectation).encode(), selfie_world.headers
    )
    request.add_header("Content-Type", "application/json")
    with pytest.raises(urllib.error.HTTPError) as refusal:
        DIRECT.open(request)
    with pytest.raises(AssertionError) as failure:
        selfie_world.verify(**expectation)
    assert str(failure.value) == json.load(refusal.value)["text"]
    with pytest.raises(ExchangeMismatch, match="within 0.01 seconds"):
        selfie_world.wait_for(path="/api/get_photos", timeout="10ms")
    # A mistake of the test itself is no failed check.
    with pytest.raises(ControlError, match="There is no pth here") as mistake:
        selfie_world.verify(pth="/", exactly=1)
    assert not isinstance(mistake.value, AssertionError)


def test_proxies_and_a_port_in_the_environment_do_not_matter(
    no_server_elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("PORT", "9")
    with SelfieServer.start() as server:
        assert server.add_user().headers.keys() == {"Authorization"}


def certificate(folder: Path) -> dict[str, str]:
    """A certificate of its own, and the settings of a server that has it."""
    files = {"TLS_CERTIFICATE": str(folder / "certificate.pem"), "TLS_KEY": str(folder / "key.pem")}
    command = "openssl req -x509 -noenc -days 9 -subj /CN=me -addext subjectAltName=IP:127.0.0.1 -newkey rsa:2048"
    command += f" -out {files['TLS_CERTIFICATE']} -keyout {files['TLS_KEY']}"
    subprocess.run(command.split(), check=True, capture_output=True)
    return files


@pytest.mark.parametrize("fault", ["refused", "expired", "wrong_name", "unknown_root"])
@pytest.mark.parametrize("way", ["0s", "remove_faults", "reset", "world"])
def test_a_fault_of_connections_does_not_reach_the_test_which_ends_it(
    fault: str, way: str, no_server_elsewhere: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, file in certificate(tmp_path).items():
        monkeypatch.setenv(name, file)
    trusting = ssl.create_default_context(cafile=os.environ["TLS_CERTIFICATE"])
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting)
    )
    with SelfieServer.start() as server:
        assert server.url.startswith("https://")
        assert opener.open(f"{server.url}/up").status == 200
        world = server.world("a")
        assert world.fail_connections(fault, "60s") == {"fault": fault, "for": "60000ms"}
        with pytest.raises(urllib.error.URLError):
            opener.open(f"{server.url}/up")
        assert server.faults()["connections"]["fault"] == fault
        if way == "0s":
            world.fail_connections(fault, "0s")
        elif way == "world":
            world.stop()
        else:
            getattr(world, way)()
        assert "connections" not in server.faults()
        assert opener.open(f"{server.url}/up").status == 200


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
@pytest.mark.parametrize("fault", ["refused", "expired", "wrong_name", "unknown_root"])
def test_a_fault_of_connections_does_not_reach_a_script_either(
    shell: str, fault: str, no_server_elsewhere: None, tmp_path: Path
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"There is no {shell}.")
    script = f"""
        . {CONTROL}/control.sh
        selfie_start
        up() {{ curl --noproxy '*' --silent --fail --cacert "$TLS_CERTIFICATE" "$SELFIE_URL/up"; }}
        up && selfie faults/connections '{{"fault":"{fault}","for":"60s"}}' || exit 1
        ! up && selfie faults | grep -q '"{fault}"' || exit 2
        selfie faults/connections '{{"fault":"{fault}","for":"0s"}}' && up || exit 3
        selfie faults/connections '{{"fault":"{fault}","for":"60s"}}' && selfie reset '{{}}' && up || exit 4
        selfie_stop
    """
    environment = {**os.environ, **certificate(tmp_path)}
    done = subprocess.run([shell, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_server_that_does_not_start_says_why(no_server_elsewhere: None) -> None:
    with pytest.raises(RuntimeError, match='did not start. (.|\n)*GET_TOKEN is "perhaps"'):
        SelfieServer.start(settings={"GET_TOKEN": "perhaps"})


def test_a_server_that_has_ended_is_a_sentence(no_server_elsewhere: None) -> None:
    with SelfieServer.start() as server:
        pass
    with pytest.raises(ControlError, match="Connection refused. Has the server ended, or never started?"):
        server.clock()


@pytest.mark.parametrize("url", ["localhost:3000", "http://localhost:3000/api", "http://"])
def test_an_address_that_is_none_is_named(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFIE_URL", url)
    with pytest.raises(ValueError, match="must be an address without a path"):
        SelfieServer.start()


def test_requests_are_filtered_and_cleared(selfie_world: SelfieServer, selfie_user: SelfieUser) -> None:
    request = urllib.request.Request(f"{selfie_world.base_url}/get_photos?page=2", headers=selfie_user.headers)
    DIRECT.open(request)
    assert [found["path"] for found in selfie_world.requests(path="/api/*", parameters={"page": "2"})] == [
        "/api/get_photos"
    ]
    assert selfie_world.requests(parameters={"page": "3"}) == []
    assert selfie_world.count(since=selfie_world.last_id()) == 0
    selfie_world.clear_requests()
    selfie_world.verify(exactly=0)
    rule = selfie_world.add_fault(status=503)["ids"][0]
    selfie_world.remove_fault(rule)
    assert selfie_world.faults() == {"faults": []}


def test_a_world_may_make_room(selfie_server: SelfieServer) -> None:
    world = selfie_server.world("evicting", evict=True)
    assert world.headers == {"X-Test-World": "evicting;evict"}
    with world:
        world.add_user()
        assert "evicting" in selfie_server.worlds()
    assert "evicting" not in selfie_server.worlds()


@pytest.fixture
def kept_server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that keeps its data, and asks for credentials."""
    ready = tmp_path / "ready.json"
    process = subprocess.Popen(
        [os.environ["SELFIE_SERVER"], "serve", "--control", "--storage-dir", tmp_path, "--ready-file", ready],
        env={**os.environ, "PORT": "0", "CONTROL_NAME": "me", "CONTROL_PASSWORD": "a:pass:word"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not ready.exists():
        assert process.poll() is None
        time.sleep(0.01)
    yield json.loads(ready.read_text())["url"]
    process.terminate()
    process.wait()


def test_a_server_that_runs_is_used_with_its_credentials(kept_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFIE_URL", kept_server + "/")
    monkeypatch.setenv("CONTROL_CREDENTIALS", "me:a:pass:word")
    main = SelfieServer(kept_server, "me", "a:pass:word")
    with SelfieServer.start() as server:
        server.add_user()
        assert worlds(main) == [server.headers["X-Test-World"]]
    assert worlds(main) == []
    assert main.state()["users"] == []
    monkeypatch.setenv("CONTROL_CREDENTIALS", "me:wrong")
    with pytest.raises(ControlError, match="name and password") as refusal:
        SelfieServer.start().clock()
    assert refusal.value.status == 401


@pytest.fixture
def image(no_server_elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for Docker, whose images are executables."""
    monkeypatch.setenv("SELFIE_IMAGE", os.environ["SELFIE_SERVER"])
    monkeypatch.delenv("SELFIE_SERVER")
    monkeypatch.setenv("SELFIE_DOCKER", str(Path(__file__).with_name("docker")))


def test_a_container_is_started_with_credentials_of_its_own(image: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_AUTH_NAME", "API_AUTH_PASSWORD"):
        monkeypatch.setenv(name, "of my app")
    with SelfieServer.start(settings={"GET_TOKEN": "off"}) as server:
        server.add_user()
        # Through a proxy, as from outside of a container.
        request = urllib.request.Request(f"{server.url}/__admin/clock", headers={"Via": "1.1 proxy"})
        with pytest.raises(urllib.error.HTTPError, match="401"):
            DIRECT.open(request)
        server._control, credentials = None, server._control or ""
        request.add_header("Authorization", "Basic " + b64encode(credentials.encode()).decode())
        assert DIRECT.open(request).status == 200
        assert server.api_auth_name == "of my app"
        server._control = credentials
        server.fail_connections("refused", "60s")
        with pytest.raises(urllib.error.URLError):
            DIRECT.open(f"{server.url}/up")
        server.remove_faults()
        assert DIRECT.open(f"{server.url}/up").status == 200
    with pytest.raises(ControlError, match="Has the server ended"):
        server.clock()
    with pytest.raises(RuntimeError, match="/selfie-server did not start"):
        SelfieServer.start(settings={"GET_TOKEN": "perhaps"})


def test_a_container_ends_with_the_process_that_has_started_it(image: None) -> None:
    program = "from selfie_control import *; print(SelfieServer.start().url, flush=True); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert killed.returncode == -9
    deadline = time.monotonic() + 60
    with pytest.raises(urllib.error.URLError):
        while time.monotonic() < deadline:
            DIRECT.open(f"{killed.stdout.strip()}/up").close()
            time.sleep(0.05)


def test_what_is_missing_is_named(no_server_elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFIE_SERVER", "/nowhere/selfie-server")
    with pytest.raises(RuntimeError, match="no executable /nowhere/selfie-server. Set SELFIE_SERVER"):
        SelfieServer.start()


def test_the_files_also_work_when_they_are_copied(pytester: pytest.Pytester) -> None:
    for name in ("selfie_control.py", "selfie_pytest.py"):
        shutil.copy(CONTROL / name, pytester.path)
    alone = [sys.executable, "-S", "-c", "import sys; sys.path.insert(0, '.'); import selfie_control"]
    subprocess.run(alone, cwd=pytester.path, env={}, check=True)
    pytester.makeconftest('pytest_plugins = ["selfie_pytest"]')
    pytester.makepyfile(
        """
        import pathlib, selfie_control
        def test_user(selfie_user):
            assert pathlib.Path(selfie_control.__file__).name == "selfie_control.py"
        """
    )
    pytester.runpytest_subprocess("-p", "no:selfie").assert_outcomes(passed=1)
