"""Fixtures of pytest for selfie_control. pip installs them as a plug-in; next to a conftest.py, name this module there:

    pytest_plugins = ["selfie_pytest"]
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from selfie_control import SelfieServer, SelfieUser


@pytest.fixture(scope="session")
def selfie_server() -> Iterator[SelfieServer]:
    """A server for all tests; with pytest-xdist, one for each worker. At SELFIE_URL, it is a world of that server."""
    with SelfieServer.start() as server:
        yield server


@pytest.fixture
def selfie_world(selfie_server: SelfieServer) -> Iterator[SelfieServer]:
    """A world that only this test uses. All requests of the app must have its headers."""
    with selfie_server.world(uuid.uuid4().hex) as world:
        yield world


@pytest.fixture
def selfie_user(selfie_world: SelfieServer) -> SelfieUser:
    """A user of that world, who has signed in."""
    return selfie_world.add_user()
