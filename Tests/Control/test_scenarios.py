"""Tests of an app, each of which is run twice: with an app that works, and with one that has the mistake that the test is
for. Then the text of the failure must name the cause."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from app import LOST, PNG, App
from selfie_control import ControlError, SelfieServer

Scenario = Callable[[SelfieServer, App, bool], None]
SCENARIOS: list[tuple[Scenario, str]] = []


def scenario(cause: str) -> Callable[[Scenario], Scenario]:
    """- cause: a regular expression that the failure of a broken app's test matches."""

    def add(run: Scenario) -> Scenario:
        SCENARIOS.append((run, cause))
        return run

    return add


def begin(server: SelfieServer) -> App:
    server.seed(users=[{"email": "ada@example.com", "tokens": ["ada-token", "other-device"]}])
    return App(server)


NAMES = pytest.mark.parametrize(("run", "cause"), SCENARIOS, ids=lambda value: getattr(value, "__name__", ""))


@scenario(r"Expected exactly 1 POST /api/refresh_token with status 200, but there was none\.(.|\n)*"
          r"#1 GET /api/get_photos -> 401(.|\n)*The clock was set")
def a_token_expires(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.clock(advance="25h")
    if app.photos()[0] == 401 and not is_broken:
        app.refresh()
    server.verify(method="POST", path="/api/refresh_token", status=200, exactly=1)


@scenario(r"Expected exactly 2 POST /api/upload_photo, but there was 1\.\nIt is:\n  #1 POST /api/upload_photo -> "
          r"no response \(fault 1\)(.|\n)*Fault 1 for POST /api/upload_photo has fired once, and cannot fire any more\.")
def a_lost_upload_is_sent_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(method="POST", path="/api/upload_photo", drop="before_handling", count=1)
    with suppress(*LOST):
        app.upload()
    if not is_broken:
        app.upload()
    server.verify(method="POST", path="/api/upload_photo", exactly=2)


@scenario(r"but there were 2\.\nThey are:\n  #1 POST /api/upload_photo -> no response \(fault 1\)\n  #2 POST "
          r"/api/upload_photo -> 200")
def an_upload_whose_response_is_lost_is_not_sent_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/upload_photo", drop="before_answer", count=1)
    with suppress(*LOST):
        app.upload()
    if is_broken:
        app.upload()
    server.verify(method="POST", path="/api/upload_photo", exactly=1)


@scenario(r"Expected exactly 1 GET /api/get_photos, but there were 2\.\nThey are:\n(  GET /api/get_photos, under way\n){2}"
          r"Fault 1 for /api/get_photos has fired 2 times\.")
def a_slow_list_is_asked_for_once(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/get_photos", delay="60s")
    for _ in range(2 if is_broken else 1):
        with suppress(*LOST):
            app.photos(timeout=0.3)
    try:
        server.verify(method="GET", path="/api/get_photos", exactly=1)
    finally:
        server.remove_faults()


@scenario(r"Expected no POST /api/upload_photo, but there was 1\.\nIt is:\n  POST /api/upload_photo, under way")
def nothing_is_uploaded_on_a_slow_network(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(delay="60s")
    with suppress(*LOST):
        app.photos(timeout=0.3)
    if is_broken:
        with suppress(*LOST):
            app.upload(timeout=0.3)
    try:
        server.verify(method="POST", path="/api/upload_photo", exactly=0)
    finally:
        server.remove_faults()


@scenario(r"with status 200, but there was none\.\nThe nearest (.|\n)*#1 GET /api/get_photos -> no response \(fault 1\)")
def a_broken_connection_is_tried_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/get_photos", drop="empty", count=1)
    for _ in range(1 if is_broken else 2):
        with suppress(*LOST):
            app.photos()
    server.verify(path="/api/get_photos", status=200, exactly=1)


@scenario(r"Expected exactly 1 GET /api/get_photos with status 401, but there was none\.(.|\n)*-> 200: the status is 200")
def another_device_is_signed_out(server: SelfieServer, app: App, is_broken: bool) -> None:
    other = App(server, "other-device")
    if not is_broken:
        server.revoke_tokens("ada@example.com")
    other.photos()
    server.verify(method="GET", path="/api/get_photos", status=401, exactly=1)


@scenario(r"Expected at least 1 GET /api/get_photos with status 200, but there was none\.\nThe nearest is:\n"
          r"  #1 GET /api/get_photos -> 500(.|\n)*Fault 1 .* has fired once")
def an_error_is_tried_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/get_photos", status=500, count=1)
    for _ in range(1 if is_broken else 2):
        app.photos()
    server.verify(method="GET", path="/api/get_photos", status=200, at_least=1)


@scenario(r"Expected exactly 2 POST /api/signin, but there was 1\.\nIt is:\n  #1 POST /api/signin -> 429 \"Slow down\.\" ")
def a_busy_server_is_asked_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/signin", status=429, message="Slow down.", fields={"Retry-After": "1"}, count=1)
    for _ in range(1 if is_broken else 2):
        app.post("/api/signin", email="ada@example.com", password="x")
    server.verify(method="POST", path="/api/signin", exactly=2)


@scenario(r"Expected at most 1 POST /api/refresh_token, but there were 4\.\nThey are:\n(  #\d POST .*\n?){4}")
def a_token_is_refreshed_once(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.expire_tokens()
    for _ in range(4 if is_broken else 1):
        App(server).refresh()
    server.verify(method="POST", path="/api/refresh_token", at_most=1)


@scenario(r"image\.byte_count is \"299999\", not \"300000\"")
def a_photo_is_sent_whole(server: SelfieServer, app: App, is_broken: bool) -> None:
    image = PNG + bytes(300_000 - len(PNG))
    app.upload(image[:-1] if is_broken else image)
    server.verify(path="/api/upload_photo", parameters={"image.byte_count": 300_000}, exactly=1)


@scenario(r"the status is 401(.|\n)*The clock is frozen at 2030-01-01T00:00:00\.000Z\.")
def a_wrong_clock_is_noticed(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.clock(freeze="2030-01-01T00:00:00Z" if is_broken else True)
    app.photos()
    server.verify(path="/api/get_photos", status=200, exactly=1)


@scenario(r"but there was none\.\nOther worlds have such requests: \d+ in world \S+\. Does the app send the field X-Test")
def an_app_sends_its_world(server: SelfieServer, app: App, is_broken: bool) -> None:
    if is_broken:
        app.headers = {}
    app.post("/api/signup", email="jo@example.com", password="x", full_name="Forgotten World")
    filter = {"path": "/api/signup", "parameters": {"full_name": "Forgotten World"}}
    server.verify(**filter, exactly=1)


@scenario(r"There is no snapshot (named )?two")
def a_snapshot_is_restored(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.save_snapshot("one")
    app.upload()
    server.restore_snapshot("two" if is_broken else "one")
    assert server.state()["users"][0].get("photos", []) == []


@scenario(r"Expected at least 3 POST /api/upload_photo within .* seconds, but there were 2\.\nThey are:\n"
          r"  #1 POST /api/upload_photo -> 200\n  #2 POST /api/upload_photo -> 200")
def the_third_upload_is_waited_for(server: SelfieServer, app: App, is_broken: bool) -> None:
    for number in range(2 if is_broken else 3):
        app.upload(title=f"{number}")
    server.wait_for(method="POST", path="/api/upload_photo", count=3, timeout="200ms")


@scenario(r"Expected at least 1 GET /api/get_photos within .* seconds, but there was none\.\nThe nearest is:\n"
          r"  GET /api/get_photos, under way: there is no response yet\nFault 1 for any path has fired once\.")
def a_response_is_waited_for(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(delay="60s" if is_broken else "1ms")
    with suppress(*LOST):
        app.photos(timeout=0.3)
    try:
        server.wait_for(method="GET", path="/api/get_photos", timeout="200ms")
    finally:
        server.remove_faults()


@scenario(r"Expected no requests to /api/clear_token, but there was 1\.\nIt is:\n  #2 GET /api/clear_token -> 200")
def nobody_is_signed_out(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.photos()
    if is_broken:
        app.get("/api/clear_token")
    server.verify(path="/api/clear_token", exactly=0)


@scenario(r"path must begin with / or \*, as in /api/signin or /photos/\*; it is api/clear_token\.")
def a_check_of_no_path_is_refused(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.verify(path="api/clear_token" if is_broken else "/api/clear_token", exactly=0)


@scenario(r"method must be one that the server knows, such as GET, POST or DELETE; it is GTE\.")
def a_check_of_no_method_is_refused(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.verify(method="GTE" if is_broken else "get", exactly=0)


@scenario(r"Expected exactly 2 GET /api/get_photos, but there was 1\.\nIt is:\n  #1 GET /api/get_photos -> 200 \(fault 1\)")
def a_malformed_list_is_asked_for_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/get_photos", malform="body", count=1)
    for _ in range(1 if is_broken else 2):
        app.photos()
    server.verify(method="GET", path="/api/get_photos", exactly=2)


@scenario(r"Expected exactly 2 requests to /photos/\*, but there was 1\.\nIt is:\n  #1 GET /photos/a{41} -> 200 \(fault 1\)")
def a_photo_that_breaks_off_is_asked_for_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.reset()
    photo = {"random_id": "a" * 41}
    server.seed(users=[{"email": "ada@example.com", "photos": [photo]}])
    server.add_fault(path="/photos/*", truncate={"share": 0.5}, count=1)
    for _ in range(1 if is_broken else 2):
        with suppress(*LOST):
            app.send("GET", f"/photos/{'a' * 41}")
    server.verify(path="/photos/*", exactly=2)


@scenario(r"User-Agent is MyApp/1\.0")
def the_app_names_its_version(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.headers["User-Agent"] = "MyApp/1.0" if is_broken else "MyApp/2.0"
    app.photos()
    server.verify(path="/api/get_photos", fields={"User-Agent": "MyApp/2.0"}, exactly=1)


@scenario(r"with no field Authorization, but there was none\.\nThe nearest is:\n.*Authorization is Token \(…\)")
def a_photo_is_fetched_without_the_token(server: SelfieServer, app: App, is_broken: bool) -> None:
    if is_broken:
        app.get(f"/photos/{'b' * 41}")
    else:
        app.send("GET", f"/photos/{'b' * 41}")
    server.verify(path="/photos/*", fields={"Authorization": None}, exactly=1)


@scenario(r"with no page, but there was none\.\nThe nearest is:\n.*: page is \"2\"")
def the_first_page_has_no_number(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.get("/api/get_photos", **({"page": 2} if is_broken else {}))
    server.verify(path="/api/get_photos", parameters={"page": None}, exactly=1)


@scenario(r"title is \"Me\", not \"At the sea\"")
def a_photo_has_its_title(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.upload(title="Me" if is_broken else "At the sea")
    server.verify(path="/api/upload_photo", parameters={"title": "At the sea"}, exactly=1)


@scenario(r"the status is 400\n      the password .*encrypted")
def a_password_is_encrypted(server: SelfieServer, app: App, is_broken: bool) -> None:
    # What "secret12" is, encrypted with the password of the API of a server for tests.
    encrypted = "cyIpJWu4H+Qw+kgj1xXtoA=="
    app.post("/api/signup", email="jo@example.com", full_name="Jo", password="secret12" if is_broken else encrypted)
    server.verify(path="/api/signup", status=200, exactly=1)


@scenario(r"-> 400 \"email - has already been taken,\"(.|\n)*the status is 400")
def an_email_is_checked_first(server: SelfieServer, app: App, is_broken: bool) -> None:
    email = "ada@example.com" if is_broken else "jo@example.com"
    app.post("/api/signup", email=email, full_name="Jo", password="cyIpJWu4H+Qw+kgj1xXtoA==")
    server.verify(path="/api/signup", status=200, exactly=1)


@scenario(r"Expected exactly 1 GET /api/get_photos with status 503, but there was none\.\nThe nearest is:\n"
          r"  #1 GET /api/get_photos -> 200(.|\n)*Fault 1 for /api/get_photo has not fired\.")
def a_fault_that_does_not_fire_is_named(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/get_photo" if is_broken else "/api/get_photos", status=503)
    app.photos()
    server.verify(method="GET", path="/api/get_photos", status=503, exactly=1)


@scenario(r"Expected exactly 1 GET /api/friends, but there was none\.\nThe nearest is:\n  #1 GET /api/friend -> 404")
def an_address_that_the_server_lacks_is_made_up(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/friends", status=200, body=["Grace"])
    assert is_broken or app.send("GET", "/api/friends") == (200, b'["Grace"]')
    if is_broken:
        app.get("/api/friend")
    server.verify(method="GET", path="/api/friends", exactly=1)


@scenario(r"status 401 and fault \d+, but there was none\.\nThe nearest is:\n.*\(fault \d+\): the status is 200")
def a_list_waits_at_a_gate(server: SelfieServer, app: App, is_broken: bool) -> None:
    """The app shows that it loads, and then what it got."""
    fault = server.add_fault(path="/api/get_photos", delay="60s")["ids"][0]
    loading = threading.Thread(target=app.photos)
    loading.start()
    while not server.count(path="/api/get_photos"):
        time.sleep(0.01)
    server.verify(path="/api/get_photos", exactly=1)
    server.remove_faults()
    loading.join()
    server.verify(method="GET", path="/api/get_photos", status=401 if is_broken else 200, fault=fault, exactly=1)


@scenario(r"Expected no DELETE requests with an id above 1, but there was 1\.\nIt is:\n  #2 DELETE /api/delete_photo")
def only_what_came_later_counts(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.send("DELETE", "/api/delete_photo")
    since = server.last_id()
    if is_broken:
        app.send("DELETE", "/api/delete_photo")
    server.verify(method="DELETE", since=since, exactly=0)


@scenario(r"Expected POST /api/refresh_token with status 200, then GET /api/get_photos with status 200, but there was no GET "
          r"/api/get_photos with status 200 after #\d POST /api/refresh_token -> 200\.(.|\n)*it came before #\d")
def a_token_is_renewed_before_it_is_used(server: SelfieServer, app: App, is_broken: bool) -> None:
    if is_broken:
        app.photos()
    app.refresh()
    if not is_broken:
        app.photos()
    steps = [
        {"method": "POST", "path": "/api/refresh_token", "status": 200},
        {"method": "GET", "path": "/api/get_photos", "status": 200},
    ]
    server.verify(order=steps)


@scenario(r"with status 200 and title \"two\", but there was none\.\nThe nearest (.|\n)*POST /api/upload_photo -> 500(.|\n)*"
          r"the status is 500(.|\n)*Fault 1 for /api/upload_photo has fired once, and cannot fire any more\.")
def only_the_photo_that_failed_is_sent_again(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(path="/api/upload_photo", where={"parameters": {"title": "two"}}, status=500, count=1)
    for title in ("one", "two", "three"):
        if app.upload(title=title) != 200 and not is_broken:
            app.upload(title=title)
    filter = {"path": "/api/upload_photo", "status": 200}
    server.verify(**filter, parameters={"title": "two"}, exactly=1)
    server.verify(**filter, parameters={"title": {"contains": "e"}}, exactly=2)


@scenario(r"Expected no requests with status 401 and the token \(…\), but there was 1\.\nIt is:\n  #2 .* -> 401 (.|\n)*Fault 1")
def one_device_is_signed_out(server: SelfieServer, app: App, is_broken: bool) -> None:
    server.add_fault(where={"token": "ada-token" if is_broken else "other-device"}, status=401)
    for device in (App(server, "other-device"), app):
        device.photos()
    server.verify(user="ada@example.com", exactly=2)
    server.verify(token="ada-token", status=401, exactly=0)


@scenario(r"with User-Agent containing \"\(iPad;\", but there was none\.\nThe nearest is:\n.*User-Agent is MyApp/2\.0 \(iPhone;")
def the_app_names_its_device(server: SelfieServer, app: App, is_broken: bool) -> None:
    app.headers["User-Agent"] = f"MyApp/2.0 ({'iPhone' if is_broken else 'iPad'}; iOS 18)"
    app.photos()
    server.verify(fields={"User-Agent": {"contains": "(iPad;"}}, exactly=1)


@NAMES
def test_it_passes_with_an_app_that_works(run: Scenario, cause: str, selfie_world: SelfieServer) -> None:
    run(selfie_world, begin(selfie_world), False)


@NAMES
def test_its_failure_names_the_cause(run: Scenario, cause: str, selfie_world: SelfieServer) -> None:
    with pytest.raises(ControlError) as failure:
        run(selfie_world, begin(selfie_world), True)
    assert re.search(cause, str(failure.value)), str(failure.value)


def test_responses_are_the_same_in_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFIE_URL", raising=False)
    bodies = []
    for number in ("42", "42", "43"):
        with SelfieServer.start(None, "--random", number) as server:
            for _ in range(2):
                server.reset()
                server.clock(freeze="2026-01-01T00:00:00Z")
                app = begin(server)
                app.upload()
                # The addresses of photos have the port, which is another one each time.
                bodies.append(app.photos()[1].replace(server.url.encode(), b""))
                assert app.refresh() == 200
                bodies.append(app.token.encode())
    golden = bodies[:2]
    assert len(golden[1]) >= 24 and b'"random_id":"' in golden[0]
    assert bodies[:8] == golden * 4
    assert bodies[8:] != golden * 2 and bodies[8:10] == bodies[10:]


def test_data_is_handed_on_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SELFIE_URL", raising=False)
    file = str(tmp_path / "state.json")
    with SelfieServer.start(None, "--export", file) as server:
        begin(server).upload()
    with SelfieServer.start(None, "--seed", file) as server:
        assert server.state()["users"][0]["photos"][0]["title"] == "Me"


def test_what_is_no_longer_kept_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFIE_URL", raising=False)
    monkeypatch.setenv("JOURNAL_SIZE", "10")
    with SelfieServer.start() as server:
        app = App(server)
        app.send("DELETE", "/api/delete_photo")
        for _ in range(10):
            app.photos()
        message = "10 requests are kept; 1 has gone. Clear the journal first, or raise JOURNAL_SIZE."
        for expectation in ({"exactly": 0}, {"at_most": 3}):
            with pytest.raises(AssertionError, match=f"that cannot be told: {message}"):
                server.verify(method="DELETE", **expectation)
        with pytest.raises(ControlError, match=message):
            server.count(method="DELETE")
        server.clear_requests()
        server.verify(method="DELETE", exactly=0)


def test_an_app_that_was_offline_sends_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFIE_URL", raising=False)
    with SelfieServer.start() as server:
        app = begin(server)
        server.fail_connections("refused", "60s")
        with pytest.raises(OSError):
            app.upload()
        with pytest.raises(AssertionError, match="but there was none(.|\n)*New connections are refused for another 60 s."):
            server.verify(path="/api/upload_photo", exactly=1)
        server.fail_connections("refused", "0s")
        app.upload()
        server.verify(path="/api/upload_photo", exactly=1)
