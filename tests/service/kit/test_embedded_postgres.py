"""The embedded server's life: first start, restart, kill -9 of every part, sharing between processes."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from refdesk.kit import processes
from refdesk.kit.embedded_postgres import (
    ClusterFiles,
    DatabaseInUse,
    DatabaseStartFailed,
    EmbeddedPostgres,
    connection_url,
    find_programs,
    running_database,
)
from refdesk.kit.settings import Settings


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a cluster that was started and stopped once."""
    data_dir = tmp_path_factory.mktemp("made") / "data"
    with EmbeddedPostgres(data_dir, durable=False) as server:
        _run(server.url, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (1)")
    return data_dir


def _run(url: str | None, *statements: str) -> None:
    assert url is not None
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _count(url: str | None) -> int:
    assert url is not None
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM kept").fetchone()
    assert row is not None
    return int(row[0])


def _eventually(condition: Callable[[], bool], timeout_s: float = 10.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _owner_process(data_dir: Path) -> subprocess.Popen[str]:
    """Another Python process that starts the server, prints its pid and waits to be killed."""
    script = """
        import sys, time
        from pathlib import Path
        from refdesk.kit.embedded_postgres import EmbeddedPostgres
        server = EmbeddedPostgres(Path(sys.argv[1]))
        server.start()
        print(server.pid, flush=True)
        sys.stdin.read()
        server.stop()
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_the_cluster_is_utf8_with_the_builtin_locale_whatever_the_environment(
    made_once: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.ISO-8859-1")
    monkeypatch.setenv("PGPORT", "1")
    with (
        EmbeddedPostgres(made_once, durable=False) as server,
        psycopg.connect(server.url) as connection,
    ):
        row = connection.execute(
            "SELECT pg_encoding_to_char(encoding), datlocprovider, datlocale FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchone()
        assert row == ("UTF8", "b", "C.UTF-8")
        listening = connection.execute("SHOW listen_addresses").fetchone()
        assert listening == ("",)


def test_stop_leaves_no_process_and_no_socket(made_once: Path) -> None:
    server = EmbeddedPostgres(made_once, durable=False)
    url = server.start()
    pid = server.pid
    assert pid is not None
    assert server.is_running()
    assert connection_url(made_once) == url
    server.stop()
    assert not server.is_running()
    assert connection_url(made_once) is None
    assert not processes.is_alive(pid)
    assert processes.processes_working_in(ClusterFiles.of(made_once).cluster) == []
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_a_wrong_password_is_refused(made_once: Path) -> None:
    with EmbeddedPostgres(made_once, durable=False) as server:
        password = ClusterFiles.of(made_once).password()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(server.url.replace(password, "guess"))


def test_secrets_are_readable_by_the_owner_only(made_once: Path) -> None:
    with EmbeddedPostgres(made_once, durable=False):
        folder = ClusterFiles.of(made_once).root
        for name in ("password", "connection.json"):
            assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_a_second_start_is_refused_and_names_the_process(made_once: Path) -> None:
    with EmbeddedPostgres(made_once, durable=False), pytest.raises(DatabaseInUse) as caught:
        EmbeddedPostgres(made_once, durable=False).start()
    assert caught.value.details == {"pid": os.getpid()}


def test_kill_of_the_owner_ends_the_server_and_keeps_what_was_committed(made_once: Path) -> None:
    owner = _owner_process(made_once)
    try:
        assert owner.stdout is not None
        postmaster = int(owner.stdout.readline())
        before = _count(connection_url(made_once))
        _run(connection_url(made_once), "INSERT INTO kept VALUES (2)")
    finally:
        _end(owner)
    assert _eventually(lambda: not processes.is_alive(postmaster))
    with EmbeddedPostgres(made_once, durable=False) as server:
        assert _count(server.url) == before + 1


def test_kill_of_everything_at_once_is_recovered(made_once: Path) -> None:
    owner = _owner_process(made_once)
    try:
        assert owner.stdout is not None
        postmaster = int(owner.stdout.readline())
        before = _count(connection_url(made_once))
        _run(connection_url(made_once), "INSERT INTO kept VALUES (3)")
        os.kill(postmaster, signal.SIGSTOP)  # so that it cannot clean up after its parent's death
        os.kill(owner.pid, signal.SIGKILL)
        os.kill(postmaster, signal.SIGKILL)
    finally:
        _end(owner)
    assert ClusterFiles.of(made_once).postmaster_pid() == postmaster
    with EmbeddedPostgres(made_once, durable=False) as server:
        assert _count(server.url) == before + 1


def test_a_stale_pid_file_that_names_a_stranger_does_not_prevent_the_start(made_once: Path) -> None:
    files = ClusterFiles.of(made_once)
    owner = files.cluster.stat()
    stranger = processes.spawn(
        ["/bin/sleep", "60"], user=(owner.st_uid, owner.st_gid) if os.geteuid() == 0 else None
    )
    try:
        pid_file = files.cluster / "postmaster.pid"
        pid_file.write_text(f"{stranger.pid}\n{files.cluster}\n0\n5432\n/tmp\n\n\nready\n")
        os.chown(pid_file, owner.st_uid, owner.st_gid)
        with EmbeddedPostgres(made_once, durable=False) as server:
            assert _count(server.url) >= 1
        assert stranger.poll() is None
    finally:
        processes.stop(stranger)


def test_a_postmaster_left_running_is_stopped_first(made_once: Path) -> None:
    owner = _owner_process(made_once)
    try:
        assert owner.stdout is not None
        postmaster = int(owner.stdout.readline())
        os.kill(postmaster, signal.SIGSTOP)  # as if the parent-death signal had never come
        os.kill(owner.pid, signal.SIGKILL)
        owner.communicate()
        assert processes.is_alive(postmaster)
        os.kill(postmaster, signal.SIGCONT)
        with EmbeddedPostgres(made_once, durable=False) as server:
            assert server.pid != postmaster
            assert _count(server.url) >= 1
        assert not processes.is_alive(postmaster)
    finally:
        _end(owner)


def test_the_server_can_be_restarted_at_the_same_address_after_it_died(made_once: Path) -> None:
    with EmbeddedPostgres(made_once, durable=False) as server:
        url = server.url
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert _eventually(lambda: not server.is_running())
        assert server.restart() == url
        assert _count(url) >= 1


def test_a_private_or_very_deep_data_folder_works(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    data_dir = private / ("deep" * 20) / ("deeper" * 10)
    with EmbeddedPostgres(data_dir, durable=False) as server:
        _run(server.url, "CREATE EXTENSION vector")
        assert stat.S_IMODE(private.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to change the user")
def test_programs_that_only_root_can_read_are_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from refdesk.kit.embedded_postgres import binaries

    installed = find_programs(tmp_path / "none").folder
    package = installed.parent
    hidden = tmp_path / "hidden" / package.name / installed.name
    shutil.copytree(installed, hidden)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, tmp_path / "hidden" / libraries.name)
    tmp_path.chmod(0o700)
    place = Path(tempfile.mkdtemp(prefix="refdesk-programs-"))
    place.chmod(0o755)
    monkeypatch.setattr(binaries, "_installed_folder", lambda: hidden)
    monkeypatch.setattr(binaries, "_COPY_PLACES", (place,))
    try:
        for _ in range(2):
            with EmbeddedPostgres(tmp_path / "data", durable=False) as server:
                assert Path(f"/proc/{server.pid}/exe").resolve().is_relative_to(place)
                _run(server.url, "SELECT 1")
        assert len(list(place.iterdir())) == 1
    finally:
        shutil.rmtree(place)


def test_an_unfinished_cluster_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "postgres" / "cluster.new" / "base").mkdir(parents=True)
    with EmbeddedPostgres(tmp_path, durable=False) as server:
        _run(server.url, "SELECT 1")
    assert not (tmp_path / "postgres" / "cluster.new").exists()


def test_a_server_that_cannot_start_says_why(made_once: Path) -> None:
    with pytest.raises(DatabaseStartFailed) as caught:
        EmbeddedPostgres(made_once, options={"shared_buffers": "nonsense"}).start()
    assert "shared_buffers" in caught.value.details["log"]
    with EmbeddedPostgres(made_once, durable=False) as server:
        assert server.is_running()


def test_a_command_borrows_the_database_of_a_running_process(made_once: Path) -> None:
    with EmbeddedPostgres(made_once, durable=False) as server:
        with running_database(Settings(data_dir=made_once)) as url:
            assert url == server.url
        assert server.is_running()


def test_a_command_starts_the_database_for_its_own_time(made_once: Path) -> None:
    with running_database(Settings(data_dir=made_once)) as url:
        assert _count(url) >= 1
        assert connection_url(made_once) == url
    assert connection_url(made_once) is None


def test_the_first_of_two_commands_waits_for_the_second(made_once: Path) -> None:
    script = """
        import sys
        from pathlib import Path
        from refdesk.kit.embedded_postgres import running_database
        from refdesk.kit.settings import Settings
        with running_database(Settings(data_dir=Path(sys.argv[1]))) as url:
            print(url, flush=True)
            sys.stdin.read()
    """

    def command() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), str(made_once)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    first = command()
    assert first.stdout is not None
    url = first.stdout.readline().strip()
    second = command()
    try:
        assert second.stdout is not None
        assert second.stdout.readline().strip() == url
        assert first.stdin is not None
        first.stdin.close()
        time.sleep(0.5)
        assert first.poll() is None
        assert _count(url) >= 1
        second.communicate()
        assert first.wait(10) == 0
        assert connection_url(made_once) is None
    finally:
        first.stdin = None
        _end(first)
        _end(second)
