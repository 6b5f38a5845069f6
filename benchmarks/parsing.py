"""Time and peak memory of reading large files, beside other parsers on the same files in the same run.

    python -m benchmarks.parsing [--rivals PYTHON] [--only CASE…] [--files FOLDER] [--json]

`--rivals` is the interpreter of a throwaway environment that has the others; the product never needs them:

    python -m venv /tmp/rivals
    /tmp/rivals/bin/pip install "markitdown[pdf,docx,pptx,xlsx,xls,outlook]" pypdf pdfminer.six kreuzberg

Every reading is a process of its own under `nice`, which first reads a small file of the kind, so that no
import is counted. CPU seconds are compared, because other work on the machine stretches the clock's. With
`--files` the small real files of a folder are read, too: all files of one kind by one process, twice.
Exits with 1 where the product takes more than 600 MB or is slower than markitdown on a kind both read.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.parsing_files import make

MAX_MB = 600
TIMEOUT_S = 900
OTHERS = ("markitdown", "kreuzberg", "pypdf", "pdfminer")
_READER = Path(__file__).with_name("parsing_reader.py")


@dataclass(frozen=True, slots=True)
class Reading:
    """One file or set of files, read by one reader; `error` says why there are no figures."""

    cpu_s: float = 0.0
    seconds: float = 0.0
    peak_mb: float = 0.0
    characters: int = 0
    error: str = ""


def read(python: str, reader: str, files: Sequence[Path]) -> list[Reading]:
    """Read files one after the other in one process."""
    command = ["nice", "-n", "5", python, str(_READER), reader, *map(str, files)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return [Reading(error=f"more than {TIMEOUT_S} s")] * len(files)
    lines = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
    readings = [
        Reading(
            cpu_s=line["cpu_s"],
            seconds=line["seconds"],
            peak_mb=line["peak_mb"],
            characters=line.get("characters", 0),
            error=line.get("error", ""),
        )
        for line in lines
    ]
    return readings + [Reading(error=f"ended with {done.returncode}")] * (len(files) - len(readings))


def large_files(folder: Path, only: Sequence[str], readers: dict[str, str]) -> dict[str, dict[str, Reading]]:
    """Readings by case and reader."""
    found: dict[str, dict[str, Reading]] = {}
    for case, small, large in make(folder):
        if only and case not in only:
            continue
        found[case] = {}
        for reader, python in readers.items():
            if reader in ("pypdf", "pdfminer") and large.suffix != ".pdf":
                continue
            found[case][reader] = read(python, reader, [small, large])[1]
    return found


def real_files(folder: Path, readers: dict[str, str]) -> dict[str, dict[str, Reading]]:
    """Sums by kind over the files that both this product and the other reader can read."""
    kinds: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix:
            kinds[path.suffix.lower()].append(path)
    found: dict[str, dict[str, Reading]] = {}
    for suffix, files in kinds.items():
        readings = {
            reader: read(python, reader, [*files, *files])[len(files) :]
            for reader, python in readers.items()
            if suffix == ".pdf" or reader not in ("pypdf", "pdfminer")
        }
        ours = readings["refdesk"]
        for reader, theirs in readings.items():
            both = [i for i in range(len(files)) if not (ours[i].error or theirs[i].error)]
            if both and reader != "refdesk":
                row = found.setdefault(f"{suffix} ({len(both)} files, {reader})", {})
                row["refdesk"], row[reader] = _sum([ours[i] for i in both]), _sum([theirs[i] for i in both])
    return found


def _sum(readings: Sequence[Reading]) -> Reading:
    return Reading(
        cpu_s=sum(r.cpu_s for r in readings),
        seconds=sum(r.seconds for r in readings),
        peak_mb=max(r.peak_mb for r in readings),
        characters=sum(r.characters for r in readings),
    )


def main() -> int:
    """Measure and print; see the head of this file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rivals")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--files", type=Path)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    readers = {"refdesk": sys.executable}
    if chosen.rivals:
        readers |= dict.fromkeys(OTHERS, chosen.rivals)
    with tempfile.TemporaryDirectory() as folder:
        found = large_files(Path(folder), chosen.only, readers)
    if chosen.files:
        found |= real_files(chosen.files, readers)
    missed: list[str] = []
    for case, readings in found.items():
        ours, theirs = readings["refdesk"], readings.get("markitdown")
        if ours.error or ours.peak_mb > MAX_MB:
            missed.append(f"{case}: {ours.error or f'{ours.peak_mb:.0f} MB'}")
        if theirs is not None and not theirs.error and theirs.cpu_s < ours.cpu_s:
            missed.append(f"{case}: markitdown {theirs.cpu_s:.2f} s, refdesk {ours.cpu_s:.2f} s")
        if not chosen.json:
            print(case)
            for reader, r in readings.items():
                ratio = f"x{r.cpu_s / ours.cpu_s:.2f}" if ours.cpu_s and not r.error else ""
                figures = (
                    f"{r.cpu_s:8.2f} s CPU {r.seconds:8.2f} s {r.peak_mb:6.0f} MB {r.characters:>10} chars"
                )
                print(f"  {reader:<11} {r.error or figures} {ratio}")
    if chosen.json:
        shown = {
            case: {
                reader: {name: getattr(r, name) for name in Reading.__slots__}
                for reader, r in readings.items()
            }
            for case, readings in found.items()
        }
        print(json.dumps({"readings": shown, "missed": missed}))
    else:
        print("\n".join(f"MISSED {line}" for line in missed) or "All limits are kept.")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
