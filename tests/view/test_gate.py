"""The viewer lets in its own page and nobody else: no other page, no other name, no tunnel."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from made_up_runs import hopper, made_up_run
from waiting import wait_for

from tarsus.view import Viewer, VolumeEditor, edit_volumes, view
from tarsus.view.server import LARGEST

exceptions = pytest.importorskip("websockets.exceptions")
sockets = pytest.importorskip("websockets.sync.client")


@pytest.fixture(scope="module")
def viewer() -> Iterator[Viewer]:
    with view(made_up_run(), port=18700) as shown:
        yield shown


def parts(viewer: Viewer | VolumeEditor) -> tuple[str, str]:
    """Return "127.0.0.1:port" and "/token/" of a viewer."""
    address = urlsplit(viewer.url)
    return address.netloc, address.path


class Answer(NamedTuple):
    status: int
    text: bytes
    headers: http.client.HTTPMessage


def get(viewer: Viewer | VolumeEditor, path: str, **headers: str) -> Answer:
    """Ask for a page; headers replace what a browser says."""
    connection = http.client.HTTPConnection(parts(viewer)[0], timeout=120)
    with contextlib.closing(connection):
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        with connection.getresponse() as response:
            return Answer(response.status, response.read(), response.headers)


def enter(viewer: Viewer | VolumeEditor, path: str, origin: str | None, **options: Any) -> Any:
    """Return an open socket, as the page opens it."""
    return sockets.connect(
        f"ws://{parts(viewer)[0]}{path}",
        origin=origin,
        **options,
        compression=None,
        max_size=None,
        open_timeout=120,
        proxy=None,
    )


def test_the_page_is_there_for_who_knows_the_address(viewer: Viewer) -> None:
    _, path = parts(viewer)
    for known in (path, path.removesuffix("/"), f"{path}index.html?darkMode"):
        page = get(viewer, known)
        assert page.status == 200
        assert b"<html" in page.text
        assert page.headers["Referrer-Policy"] == "no-referrer"


def test_addresses_cannot_be_guessed(viewer: Viewer) -> None:
    token = parts(viewer)[1].strip("/")
    assert len(token) >= 32
    with view(made_up_run(), port=18720) as other:
        assert parts(other)[1].strip("/") != token


@pytest.mark.parametrize("path", ["/", "/index.html", "/guess/", "//", "/%2e%2e/", "/?token="])
def test_no_page_without_the_token(viewer: Viewer, path: str) -> None:
    page = get(viewer, path)
    assert page.status == 403
    assert b"token" in page.text


def test_files_outside_the_page_stay_outside(viewer: Viewer) -> None:
    for path in ("../../viewer.py", "page/scene.js", "%2e%2e/%2e%2e/viewer.py", "data.json/../x"):
        assert get(viewer, f"{parts(viewer)[1]}{path}").status == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1"]
)
def test_no_page_under_another_name(viewer: Viewer, host: str) -> None:
    """A name that was rebound to this machine makes a foreign page the same origin."""
    port = viewer.server.port
    page = get(viewer, parts(viewer)[1], Host=host.format(port=port))
    assert page.status == 403
    assert b"host" in page.text


def test_the_machine_has_two_names(viewer: Viewer) -> None:
    name = f"localhost:{viewer.server.port}"
    assert get(viewer, parts(viewer)[1], Host=name).status == 200
    assert get(viewer, parts(viewer)[1], Host=name, Origin=f"http://{name}").status == 200
    assert get(viewer, parts(viewer)[1], Origin="http://evil.example").status == 403


def test_the_own_page_is_told_the_state_and_moves_the_slider(viewer: Viewer) -> None:
    address, path = parts(viewer)
    with enter(viewer, path, f"http://{address}") as page:
        assert "state" in page.recv(timeout=120)
        page.send(json.dumps({"picture": 9}))
        assert wait_for(lambda: viewer.picture == 9)


def test_the_page_may_load_nothing_from_elsewhere(viewer: Viewer) -> None:
    policy = get(viewer, parts(viewer)[1]).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy


def test_messages_have_a_largest_size(viewer: Viewer) -> None:
    address, path = parts(viewer)
    with enter(viewer, path, f"http://{address}") as page:
        page.send(" " * (LARGEST + 1))
        with pytest.raises(exceptions.ConnectionClosedError):
            while True:
                page.recv(timeout=120)
    assert wait_for(lambda: not viewer.server.pages)


@pytest.mark.parametrize(
    ("origin", "path"),
    [
        ("http://evil.example", "own"),
        ("http://evil.example:{port}", "own"),
        ("https://127.0.0.1:{port}", "own"),
        ("http://localhost:{port}", "own"),
        ("http://127.0.0.1:1", "own"),
        ("null", "own"),
        (None, "own"),
        ("http://127.0.0.1:{port}", "/"),
        ("http://127.0.0.1:{port}", "/guess/"),
    ],
)
def test_no_socket_for_others(viewer: Viewer, origin: str | None, path: str) -> None:
    port = viewer.server.port
    said = origin if origin is None else origin.format(port=port)
    with pytest.raises(exceptions.InvalidStatus) as refused:
        enter(viewer, parts(viewer)[1] if path == "own" else path, said)
    assert refused.value.response.status_code == 403


def test_no_socket_under_another_name(viewer: Viewer) -> None:
    port = viewer.server.port
    answer = get(
        viewer,
        parts(viewer)[1],
        Host=f"evil.example:{port}",
        Origin=f"http://evil.example:{port}",
        Upgrade="websocket",
        Connection="Upgrade",
    )
    assert answer.status == 403


def test_the_editor_of_volumes_is_guarded_as_the_viewer(tmp_path: Path) -> None:
    with edit_volumes(hopper(), path=tmp_path / "volumes.yaml", port=18740) as editor:
        address, path = parts(editor)
        assert address.startswith("127.0.0.1:") and len(path.strip("/")) >= 32
        assert get(editor, path).status == get(editor, f"{path}data.json").status == 200
        assert "default-src 'none'" in get(editor, path).headers["Content-Security-Policy"]
        assert get(editor, "/").status == get(editor, "/guess/").status == 403
        assert get(editor, path, Host="evil.example").status == 403
        for origin in ("http://evil.example", "null", None):
            with pytest.raises(exceptions.InvalidStatus) as refused:
                enter(editor, path, origin)
            assert refused.value.response.status_code == 403
        with enter(editor, path, f"http://{address}") as page:
            assert "volumes" in page.recv(timeout=120)


def test_other_machines_only_where_asked_for() -> None:
    """With host= every address in numbers is this machine; other names are not, nor no token."""
    with pytest.warns(UserWarning, match=r"host='0\.0\.0\.0' opens the page to the network"):
        shown = view(made_up_run(), port=18760, host="0.0.0.0")
    with shown:
        assert urlsplit(shown.url).hostname == socket.gethostname().lower()
        path, port = parts(shown)[1], shown.server.port

        def status(host: str, path: str = path) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            with contextlib.closing(connection):
                connection.putrequest("GET", path, skip_host=True)
                connection.putheader("Host", host)
                connection.endheaders()
                return connection.getresponse().status

        assert status(f"192.168.1.7:{port}") == status(f"{socket.gethostname()}:{port}") == 200
        assert status(f"[fe80::1]:{port}") == status(f"localhost:{port}") == 200
        assert status(f"evil.example:{port}") == status("192.168.1.7:1") == 403
        assert status(f"192.168.1.7:{port}", "/") == 403


def test_this_machine_needs_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    with view(made_up_run(), port=18770, host="localhost") as shown:
        assert shown.url.startswith(f"http://localhost:{shown.server.port}/")
        assert get(shown, parts(shown)[1]).status == 200
    assert not [each for each in recwarn if "network" in str(each.message)]
