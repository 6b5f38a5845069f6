"""`refdesk serve` as people run it: start, stop, kill, restart, on either kind of database."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.e2e.platform.serving import PATIENCE_S, Served, eventually, free_port

from refdesk.kit.embedded_postgres import EmbeddedPostgres, connection_url

Serving = Callable[..., Served]


def test_first_start_becomes_ready_and_prints_one_address(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    assert served.get("/healthz") == (200, {"status": "ok"})
    address = f"http://127.0.0.1:{served.port}"
    assert eventually(
        lambda: address in served.log.read_text(), PATIENCE_S
    )  # told once it is ready, so just after
    assert served.log.read_text().count(address) == 1
    assert len(served.workers()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_everything(serving: Serving, number: signal.Signals) -> None:
    served = serving().start()
    served.wait_until_ready()
    served.note_family()
    assert served.stop(number) == 0
    assert served.family_is_gone()
    assert connection_url(served.data_dir) is None
    assert "Traceback" not in served.log.read_text()


def test_the_second_start_makes_nothing_anew(serving: Serving) -> None:
    """What makes the first start long; how long each takes is for benchmarks/startup.py to say."""
    served = serving().start()
    served.wait_until_ready()
    assert served.stop() == 0
    made = _made(served.data_dir)
    assert {"PG_VERSION", "secret.key"} <= {path.name for path in made}
    served.start().wait_until_ready()
    assert served.stop() == 0
    assert _made(served.data_dir) == made


def _made(data_dir: Path) -> dict[Path, tuple[int, int]]:
    """What a first start makes once: the cluster, the key, the converted model; by inode and time."""
    kept = [*data_dir.rglob("PG_VERSION"), *data_dir.glob("*.key"), *data_dir.rglob("*.onnx")]
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in kept}


def test_a_signal_during_the_start_stops_everything(serving: Serving) -> None:
    served = serving().start()
    assert eventually(lambda: connection_url(served.data_dir) is not None, 20.0)
    served.note_family()
    assert served.stop() == 0
    assert served.family_is_gone()
    assert "Traceback" not in served.log.read_text()


def test_nothing_survives_kill_and_the_next_start_recovers(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    assert len(served.note_family()) >= 2
    os.kill(served.running.pid, signal.SIGKILL)
    served.running.wait()
    assert eventually(served.family_is_gone, PATIENCE_S)
    served.start().wait_until_ready()
    assert served.stop() == 0


def test_kill_of_all_processes_at_once_is_recovered(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    for process in served.note_family():
        process.suspend()
    os.kill(served.running.pid, signal.SIGKILL)
    for process in served.family:
        process.kill()
    served.running.wait()
    assert eventually(served.family_is_gone, PATIENCE_S)
    served.start().wait_until_ready()
    assert served.stop() == 0


def test_a_dead_worker_is_replaced(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    (worker,) = served.workers()
    worker.kill()
    assert eventually(lambda: any(other.pid != worker.pid for other in served.workers()), PATIENCE_S)
    assert served.get("/readyz")[0] == 200
    assert served.stop() == 0


def test_a_dead_database_is_replaced(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    served.postmaster().send_signal(signal.SIGQUIT)
    assert eventually(lambda: "starting it again" in served.log.read_text(), PATIENCE_S)
    assert eventually(lambda: served.get("/readyz")[0] == 200, PATIENCE_S)
    assert served.stop() == 0
    served.note_family = lambda: served.family  # it has ended; nothing more to look at


def test_an_open_event_stream_does_not_hold_up_the_end(serving: Serving) -> None:
    import socket

    served = serving().start()
    served.wait_until_ready()
    with socket.create_connection(("127.0.0.1", served.port)) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")  # a request that never ends
        assert served.stop(timeout_s=10.0) == 0


def test_a_second_server_on_the_same_folder_is_refused_by_name(serving: Serving) -> None:
    first = serving().start()
    first.wait_until_ready()
    second = serving(data_dir=first.data_dir).start()
    assert second.running.wait(20) == 1
    printed = second.log.read_text()
    assert "already-serving" in printed
    assert f"process {first.running.pid}" in printed
    assert "Traceback" not in printed
    assert first.get("/readyz")[0] == 200


def test_a_port_in_use_is_a_clear_error(serving: Serving, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        served = serving(port=taken.getsockname()[1]).start()
        assert served.running.wait(20) == 1
    printed = served.log.read_text()
    assert "address-in-use" in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "data" / "postgres" / "cluster").exists()


@pytest.fixture
def home_of_an_ordinary_user() -> Iterator[Path]:
    """A home folder outside pytest's own folders, which are private to the user who runs the tests."""
    home = Path(tempfile.mkdtemp(prefix="refdesk-home-"))
    if os.geteuid() == 0:
        os.chown(home, 65534, 65534)
    yield home
    shutil.rmtree(home)


def test_it_works_as_an_ordinary_user_with_the_default_folder(
    serving: Serving, home_of_an_ordinary_user: Path
) -> None:
    home = home_of_an_ordinary_user
    served = serving(
        data_dir=home / ".local" / "share" / "refdesk",
        log=home / "log",
        prefix=_as_ordinary_user() if os.geteuid() == 0 else [],
        environment={"HOME": str(home), "REFDESK_DATA_DIR": ""},
    )
    served.start().wait_until_ready()
    assert psutil.Process(served.running.pid).uids().real == home.stat().st_uid
    assert served.postmaster().uids().real == home.stat().st_uid
    assert (home / ".local" / "share" / "refdesk" / "postgres" / "cluster").is_dir()
    served.note_family()
    assert served.stop() == 0
    assert served.family_is_gone()


def _as_ordinary_user() -> list[str]:
    """Become user 65534. It may read everything, since the interpreter may lie in root's home."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("there is no setpriv to become an ordinary user with")
    command = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
    command += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system forbids becoming another user")
    return command


def test_another_postgresql_can_be_used(serving: Serving, tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "external", durable=False) as external:
        served = serving(environment={"REFDESK_DATABASE_URL": external.url}).start()
        served.wait_until_ready()
        assert not (served.data_dir / "postgres").exists()
        assert [child.name() for child in served.note_family()].count("postgres") == 0
        assert served.stop() == 0
        assert served.family_is_gone()
        assert external.is_running()


def test_a_database_that_does_not_answer_is_a_clear_error(serving: Serving) -> None:
    url = f"postgresql://nobody:secret@127.0.0.1:{free_port()}/nothing"
    served = serving(environment={"REFDESK_DATABASE_URL": url}).start()
    assert served.running.wait(30) == 1
    printed = served.log.read_text()
    assert "database-unreachable" in printed
    assert "Traceback" not in printed
    assert "secret" not in printed


def test_a_command_beside_the_server_uses_its_database(serving: Serving) -> None:
    served = serving().start()
    served.wait_until_ready()
    environment = os.environ | {"REFDESK_DATA_DIR": str(served.data_dir)}
    answer = subprocess.run(
        [sys.executable, "-m", "refdesk", "worker", "--until-idle"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert served.get("/readyz")[0] == 200
    assert served.stop() == 0


def test_a_signal_while_a_job_runs_stops_everything_cleanly(serving: Serving, tmp_path: Path) -> None:
    served = serving().start()
    served.wait_until_ready()
    environment = os.environ | {"REFDESK_DATA_DIR": str(served.data_dir)}

    def refdesk(*words: str) -> str:
        command = [sys.executable, "-m", "refdesk", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    long = tmp_path / "long.md"
    long.write_text("\n\n".join(f"# Rule {n}\n\n{f'Rule {n} tells of lamps. ' * 10}" for n in range(1500)))
    refdesk("kb", "create", "Rules")
    refdesk("kb", "add", "Rules", str(long))
    working = ('"parsing"', '"splitting"', '"indexing"')
    assert eventually(
        lambda: any(state in refdesk("kb", "documents", "Rules", "--json") for state in working), 60.0
    )
    assert served.stop() == 0
    printed = served.log.read_text()
    assert "AppNotOpen" not in printed
    assert "unhandled exception" not in printed
    assert "Traceback" not in printed
