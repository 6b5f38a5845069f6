"""Start time, memory at rest and install size: `python -m benchmarks.startup [--json]`.

Memory is the proportional set size (PSS) of every process, so that pages shared by PostgreSQL's processes
count once; resident size is given beside it. At rest: 20 s after the start, nothing asked, nothing indexed.
"""

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import psutil
from tests.e2e.platform.serving import Served

REST_S = 20.0
TARGETS = {"second_start_s": 5.0, "memory_at_rest_mb": 800.0}


def measure(folder: Path, *, rounds: int) -> dict[str, object]:
    """All figures on a fresh data folder in `folder`. Times are from exec to the first 200 of `/readyz`."""
    served = Served(data_dir=folder / "data", log=folder / "log")
    try:
        first_s = _timed_start(served)
        memory = _memory_after_rest(served)
        stop_s = _timed_stop(served)
        later: list[float] = []
        for _ in range(rounds):
            later.append(_timed_start(served))
            _timed_stop(served)
    finally:
        served.end()
    return {
        "first_start_s": round(first_s, 2),
        "second_start_s": round(sorted(later)[len(later) // 2], 2),
        "stop_s": round(stop_s, 2),
        **memory,
        "import_server_s": round(_import_seconds("refdesk.server"), 2),
        "help_s": round(_help_seconds(), 2),
        **_install_size(),
    }


def _timed_start(served: Served) -> float:
    started = time.perf_counter()
    served.start()
    while served.get("/readyz")[0] != 200:
        if served.running.poll() is not None:
            raise SystemExit(served.log.read_text())
        time.sleep(0.02)
    return time.perf_counter() - started


def _timed_stop(served: Served) -> float:
    started = time.perf_counter()
    served.stop()
    return time.perf_counter() - started


def _memory_after_rest(served: Served) -> dict[str, object]:
    time.sleep(REST_S)
    parts: dict[str, float] = {}
    resident = 0.0
    family = [psutil.Process(served.running.pid), *served.note_family()]
    for process in family:
        words = process.cmdline()
        name = "postgres" if process.name() == "postgres" else ("worker" if "worker" in words else "server")
        parts[name] = parts.get(name, 0.0) + _pss_mb(process.pid)
        resident += process.memory_info().rss / 1e6
    return {
        "processes": len(family),
        "memory_at_rest_mb": round(sum(parts.values()), 1),
        "memory_by_part_mb": {name: round(size, 1) for name, size in parts.items()},
        "resident_sum_mb": round(resident, 1),
    }


def _pss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError("the kernel tells no PSS")


def _import_seconds(module: str) -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        return time.perf_counter() - started

    return min(once() for _ in range(3))


def _help_seconds() -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "refdesk", "--help"], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    return min(once() for _ in range(3))


def _install_size() -> dict[str, object]:
    """Sizes of what `make install` puts into site-packages; development tools are left out by name."""
    from importlib.metadata import distributions

    wanted = {
        line.split("==")[0].lower().replace("_", "-")
        for line in Path("requirements.txt").read_text().splitlines()
        if "==" in line
    }
    root = Path(sysconfig.get_paths()["purelib"])
    sizes: dict[str, int] = {}
    for distribution in distributions(path=[str(root)]):
        name = distribution.metadata["Name"].lower().replace("_", "-")
        if name in wanted:
            paths = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
            sizes[name] = sum(path.stat().st_size for path in paths if path.is_file())
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:8]
    return {
        "install_mb": round(sum(sizes.values()) / 1e6, 1),
        "largest_packages_mb": {name: round(size / 1e6, 1) for name, size in largest},
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--rounds", type=int, default=3, help="later starts to measure")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="refdesk-bench-") as folder:
        figures = measure(Path(folder), rounds=options.rounds)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        target = f"   (at most {TARGETS[name]:g})" if name in TARGETS else ""
        print(f"{name:24} {value}{target}")


if __name__ == "__main__":
    main()
