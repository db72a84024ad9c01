"""The script of action.yml, as a runner calls it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selfie_control import ControlError, SelfieServer

SCRIPT = Path(__file__).parents[2] / "Packaging/action"
SERVER = Path(os.environ["SELFIE_SERVER"])
Action = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def action(tmp_path: Path) -> Iterator[Action]:
    """Runs the script with inputs, and stops the servers that it has started."""

    def run(**inputs: str) -> subprocess.CompletedProcess[str]:
        names = ("VERSION", "URL", "IMAGE", "ARGUMENTS", "SETTINGS")
        runner = {
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ENV": str(tmp_path / "env"),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_ACTION_PATH": "/home/runner/work/_actions/owner/selfie-server/v9",
            "GITHUB_REPOSITORY": "owner/app",
            "GITHUB_SERVER_URL": f"file://{tmp_path}",
        }
        environment = {**os.environ, **runner, **{f"INPUT_{name}": inputs.get(name.lower(), "") for name in names}}
        return subprocess.run([SCRIPT], env=environment, capture_output=True, text=True)

    yield run
    for ready in tmp_path.glob("selfie-server.*/ready.json"):
        os.kill(json.loads(ready.read_text())["pid"], signal.SIGTERM)


def variables(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def test_an_executable_is_started_with_arguments_and_settings(
    action: Action, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = f"API_AUTH_NAME=my name\n\nAPI_AUTH_PASSWORD={'=' * 64}\nGET_TOKEN=off\n"
    done = action(url=f"file://{SERVER}", arguments="--control\n--host 127.0.0.1", settings=settings)
    assert done.returncode == 0, done.stdout + done.stderr
    exported, output = variables(tmp_path / "env"), variables(tmp_path / "output")
    assert exported["SELFIE_URL"] == output["url"]
    assert "listening get_token=off" in Path(output["log"]).read_text()
    for name, value in exported.items():
        monkeypatch.setenv(name, value)
    with SelfieServer.start() as server:
        server.add_user()
        assert (server.api_auth_name, len(server.api_auth_password)) == ("my name", 64)
        assert [user["email"] for user in server.state()["users"]] == ["ada@example.com"]


def release(folder: Path) -> Path:
    """A release with the package of this machine, whose sum is right."""
    package = folder / "package"
    architecture = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN/control").write_text(
        f"Package: selfie-server\nVersion: 9\nArchitecture: {architecture}\n"
        "Maintainer: me <me@example.com>\nDescription: x\n"
    )
    (package / "usr/bin").mkdir(parents=True)
    shutil.copy(SERVER, package / "usr/bin/selfie-server")
    downloads = folder / "owner/selfie-server/releases/download/v9"
    downloads.mkdir(parents=True)
    file = downloads / f"selfie-server_9_{architecture}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--build", package, file], check=True)
    (downloads / "SHA256SUMS").write_text(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
    return downloads


def test_a_release_is_downloaded_and_compared_with_its_sum(action: Action, tmp_path: Path) -> None:
    downloads = release(tmp_path)
    # The tag of the action is v9.
    for version in ("", "v9", "9"):
        done = action(version=version)
        assert done.returncode == 0, done.stdout + done.stderr
    assert SelfieServer(variables(tmp_path / "env")["SELFIE_URL"]).clock()["frozen"] is False
    with next(downloads.glob("*.deb")).open("ab") as file:
        file.write(b"x")
    done = action(version="9")
    assert done.returncode != 0 and "FAILED" in done.stdout


def test_a_presigned_address_has_a_query(action: Action, tmp_path: Path) -> None:
    # curl ignores the query of a file.
    done = action(url=f"file://{SERVER}?token=abc/def=")
    assert done.returncode == 0, done.stdout + done.stderr
    exported = variables(tmp_path / "env")
    assert exported["SELFIE_CONTROL_URL"] != exported["SELFIE_URL"]
    assert SelfieServer(exported["SELFIE_URL"], control_url=exported["SELFIE_CONTROL_URL"]).clock()


def test_a_failed_download_is_an_error_without_the_secret(action: Action, tmp_path: Path) -> None:
    done = action(url=f"file://{tmp_path}/none?token=secret")
    assert done.returncode == 1
    assert f"::error::file://{tmp_path}/none could not be downloaded." in done.stdout
    assert "secret" not in done.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [("PORT=none", 'PORT is "none"'), ("PORT 4000", '::error::The setting "PORT 4000" must be NAME=VALUE.')],
)
def test_a_server_that_does_not_start_fails_the_step(
    action: Action, settings: str, message: str, tmp_path: Path
) -> None:
    done = action(url=f"file://{SERVER}", settings=settings)
    assert done.returncode == 1
    assert message in done.stdout and "::error::" in done.stdout
    assert not (tmp_path / "env").exists()
