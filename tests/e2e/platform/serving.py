"""A real `refdesk serve` in a process of its own, and what is left of it when it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

READY_WITHIN_S = 60.0
# How long whatever must come at last is waited for: long, because nothing here is about speed.
PATIENCE_S = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(condition: Callable[[], bool], timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@dataclass
class Served:
    """One `refdesk serve`; `family` are the processes it started, kept for after its end."""

    data_dir: Path
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    prefix: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    family: list[psutil.Process] = field(default_factory=list[psutil.Process])

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None
        return self.process

    def start(self) -> "Served":
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REFDESK_")}
        environment |= {"REFDESK_DATA_DIR": str(self.data_dir), "REFDESK_PORT": str(self.port)}
        environment |= self.environment
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, sys.executable, "-m", "refdesk", "serve"],
                env={name: value for name, value in environment.items() if value},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self

    def wait_until_ready(self) -> float:
        """Seconds until `/readyz` answers 200."""
        started = time.monotonic()
        while time.monotonic() - started < READY_WITHIN_S:
            if self.running.poll() is not None:
                break
            if self.get("/readyz")[0] == 200:
                took = time.monotonic() - started
                eventually(self._has_worker, PATIENCE_S)
                return took
            time.sleep(0.05)
        raise AssertionError(f"not ready; the log:\n{self.log.read_text(errors='replace')[-4000:]}")

    def get(self, path: str) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, None
        except OSError:
            return 0, None

    def note_family(self) -> list[psutil.Process]:
        self.family = psutil.Process(self.running.pid).children(recursive=True)
        return self.family

    def workers(self) -> list[psutil.Process]:
        return [child for child in self.note_family() if {"refdesk", "worker"} <= set(_words(child))]

    def postmaster(self) -> psutil.Process:
        return next(
            child for child in psutil.Process(self.running.pid).children() if child.name() == "postgres"
        )

    def _has_worker(self) -> bool:
        return bool(self.workers())

    def family_is_gone(self) -> bool:
        return not any(_lives(process) for process in self.family)

    def stop(self, number: signal.Signals = signal.SIGINT, timeout_s: float = 30.0) -> int:
        self.running.send_signal(number)
        return self.running.wait(timeout_s)

    def end(self) -> None:
        """Whatever happened: leave nothing behind."""
        if self.process is not None and self.process.poll() is None:
            self.note_family()
            self.process.kill()
            self.process.wait()
        for process in self.family:
            if _lives(process):
                process.kill()


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # a zombie too
        return []


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
