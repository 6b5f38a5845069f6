"""Mutate small files of every kind and read them: only clear failures, no hang, no lost text.

    python -m benchmarks.fuzz_parsing [--minutes 10] [--seed N] [--keep FOLDER] [--files FOLDER]

Containers are mutated inside: a part is unpacked, changed and packed again, so that changes reach the parser
and not only the ZIP directory. Every result is split with changing settings; the spans of the paragraphs must
cover the text. A file that breaks a rule is written to `--keep` and printed; exit code 1. OCR is off: it has
a time limit of its own and would be most of the time.

Files are read in batches, each in a process of its own with the product's limit of memory, which notes every
file on disk before it is read: a library in C or Rust may end its process. The file that was read then is
read again as the product reads it, in a limited process, and must come back as a clear failure. With
`--files` half of what is mutated are the real files of a folder (of those below 200 kB).
"""

import argparse
import hashlib
import io
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from tests.unit.knowledge.parsing.samples import sample

from refdesk.knowledge.parsing import (
    Parsed,
    ParseError,
    ParseOptions,
    ParseTimeout,
    parse,
    parse_limited,
    parsers,
)
from refdesk.knowledge.splitting import Profile, SplitSettings, Unit, split

HANG_S = 20  # of CPU; a process that waits is ended after ten times as long
MEMORY_BYTES = 2 * 1024**3
_BATCH = 200
_MAX_REAL = 200_000
_OPTIONS = ParseOptions(ocr="off", max_unpacked_bytes=32 * 1024**2, max_pages=200)
_PIECES = (
    *(
        b"<",
        b">",
        b"&",
        b"\x00",
        b"\xff\xfe",
        b"\r\n",
        b"\n\n",
        b"|",
        b"```\n",
        b"# ",
        b"{\\",
        b"}",
        b'"',
        b",",
    ),
    *(
        b"<table><tr><td>",
        b"</td>",
        b"<w:p>",
        b"</w:tbl>",
        b"\\u-3",
        b"9999999999",
        b"-1",
        b"\xe4\xb8",
        b"\x81",
    ),
    *(b"]]>", b"<!--", b"=?utf-8?b?", b"--x", b"(((((", b"[[[[[", b"A1:XFD1048576", b"e+308"),
)
_PROFILES: tuple[Profile, ...] = ("standard", "compact", "structured")
_UNITS: tuple[Unit, ...] = ("characters", "tokens")


class Hang(Exception):
    """A file took longer than the cap."""


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few changes; of a ZIP mostly inside one of its parts."""
    members = _members(data) if data.startswith(b"PK\x03\x04") and chance.random() < 0.8 else {}
    if members:
        victim = chance.choice(list(members))
        if chance.random() < 0.1:
            del members[victim]
        else:
            members[victim] = _changed(members[victim], chance)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
            for name, content in members.items():
                target.writestr(name, content)
        return out.getvalue()
    return _changed(data, chance)


def _members(data: bytes) -> dict[str, bytes]:
    """What a container holds; nothing where it is broken, locked or unpacks to much."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            if sum(info.file_size for info in source.infolist()) > 20 * _MAX_REAL:
                return {}
            return {info.filename: source.read(info) for info in source.infolist()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, zlib.error):
        return {}


def _changed(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(out) + 1)
        size = chance.choice((1, 2, 8, 64, 500))
        match chance.randrange(6):
            case 0:
                del out[at : at + size]
            case 1:
                out[at:at] = chance.choice(_PIECES) * chance.choice((1, 1, 3, 200))
            case 2:
                out[at:at] = out[at : at + size] * chance.choice((1, 5, 50))
            case 3:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 4:
                other = chance.randrange(len(out) + 1)
                out[at:at] = out[other : other + size]
            case _:
                out = out[: max(1, at)] if chance.random() < 0.3 else out
    return bytes(out)


def check(parsed: Parsed, chance: random.Random) -> None:
    """Split what was read and prove that nothing is lost or out of place. Raises whatever is wrong."""
    _check_offsets(parsed)
    settings = SplitSettings(
        profile=chance.choice(_PROFILES),
        limit=chance.choice((None, 50, 300)),
        unit=chance.choice(_UNITS),
        min_size=chance.choice((None, 0, 80)),
        with_filter=chance.random() < 0.5,
    )
    at = 0
    for paragraph in split(parsed, settings).paragraphs:
        assert paragraph.start >= at, "paragraphs overlap"
        assert not parsed.text[at : paragraph.start].strip(), "text between paragraphs is lost"
        at = paragraph.end
    assert not _visible(parsed.text[at:]), "text at the end is lost"


def _check_offsets(parsed: Parsed) -> None:
    for block in parsed.blocks:
        assert parsed.text[block.offset : block.offset + len(block.text)] == block.text, "offsets are wrong"
    assert 0 <= parsed.kept_chars <= parsed.extracted_chars, "counts are wrong"


def _visible(text: str) -> str:
    """Text without white space and without what the filter may remove whole."""
    return "".join(c for c in text if not c.isspace() and c.isprintable())


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Hang(f"more than {HANG_S} s of CPU")


type Source = tuple[str, str, bytes]
"""A kind, a name and the bytes to mutate."""


def chosen_source(chance: random.Random, real: Sequence[Source]) -> Source:
    """A made file of any kind, or a real one."""
    if real and chance.random() < 0.5:
        return chance.choice(real)
    kind = chance.choice([parser.kind for parser in parsers()])
    made = sample(kind)
    return kind, made.name, made.data


def real_files(folder: Path) -> list[Source]:
    """The small files of a folder; their endings stand for kinds."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix not in ("", ".jsonl"))
    return [
        (path.suffix[1:], f"a{path.suffix}", path.read_bytes())
        for path in paths
        if 0 < path.stat().st_size < _MAX_REAL
    ]


def read_batch(seed: str, note: Path, until: float, real: Sequence[Source], write: int) -> None:
    """Read files until the batch or the time is over; a line of JSON each. Runs in a process of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _stop)
    chance = random.Random(seed)
    for _ in range(_BATCH):
        if time.monotonic() >= until:
            break
        kind, name, whole = chosen_source(chance, real)
        data = mutated(whole, chance)
        note.write_bytes(f"{kind} {name}\n".encode() + data)
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, HANG_S)
        result: dict[str, Any] = {"kind": kind}
        try:
            check(parse(data, name, _OPTIONS), chance)
            result["outcome"] = "ok"
        except ParseError as error:
            result["outcome"] = error.code
        except MemoryError:
            result["outcome"] = "parse-memory"
        except Exception as error:  # noqa: BLE001 - every other exception is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            result["file"] = data.hex()
            result["name"] = name
            result["fault"] = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        result["cpu_s"] = time.process_time() - begin
        os.write(write, json.dumps(result).encode() + b"\n")


@dataclass(slots=True)
class Findings:
    """What came out so far; files worth a look are written to `keep`."""

    keep: Path
    outcomes: Counter[str] = field(default_factory=Counter[str])
    faults: set[str] = field(default_factory=set[str])
    ended: Counter[str] = field(default_factory=Counter[str])
    slowest: tuple[float, str] = (0.0, "")

    def take(self, result: dict[str, Any]) -> None:
        """Count one result; a fault that is new keeps its file."""
        self.slowest = max(self.slowest, (result["cpu_s"], result["kind"]))
        if "outcome" in result:
            self.outcomes[result["outcome"]] += 1
        else:
            kind, fault = result["kind"], result["fault"]
            self.fault(f"{kind}: {fault}", kind, result["name"], bytes.fromhex(result["file"]))

    def fault(self, text: str, kind: str, name: str, data: bytes) -> None:
        """A broken rule, once each."""
        if text not in self.faults:
            self.faults.add(text)
            print(f"FAULT {text} {self.kept(kind, name, data)}", flush=True)

    def kept(self, kind: str, name: str, data: bytes) -> Path:
        """Write a file to the folder."""
        self.keep.mkdir(parents=True, exist_ok=True)
        path = self.keep / f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}-{name}"
        path.write_bytes(data)
        return path

    def process_ended(self, how: str, note: Path) -> None:
        """The batch's process was ended by the file it read: the product must say so in plain words."""
        kind, name, data = _noted(note)
        try:
            check(parse_limited(data, name, _OPTIONS, timeout_s=10 * HANG_S), random.Random(0))
            self.outcomes["ok"] += 1
        except ParseTimeout:
            self.fault(f"{kind}: hangs ({how})", kind, name, data)
        except ParseError as error:
            self.outcomes[error.code] += 1
            self.ended[f"{kind}: {how} → {error.code}"] += 1
            if self.ended[f"{kind}: {how} → {error.code}"] <= 3:
                print(
                    f"process ended: {kind}: {how} → {error.code} {self.kept(kind, name, data)}", flush=True
                )
        except Exception as error:  # noqa: BLE001 - every other exception is what is looked for
            self.fault(f"{kind}: {type(error).__name__}: {error} after {how}", kind, name, data)


def _noted(note: Path) -> tuple[str, str, bytes]:
    head, _, data = note.read_bytes().partition(b"\n")
    kind, _, name = head.decode().partition(" ")
    return kind, name, data


def run_batch(seed: str, note: Path, until: float, real: Sequence[Source], findings: Findings) -> None:
    """One batch in a process of its own, which is killed where it no longer answers."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        code = 70
        try:
            read_batch(seed, note, until, real, write)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    left = b""
    silent = False
    while True:
        ready, _, _ = select.select([read], [], [], 10 * HANG_S)
        chunk = os.read(read, 65536) if ready else b""
        if not chunk:
            silent = not ready
            break
        *lines, left = (left + chunk).split(b"\n")
        for line in lines:
            findings.take(json.loads(line))
    os.close(read)
    if silent:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        findings.process_ended("no answer" if silent else f"exit code {code}", note)


def main() -> int:
    """Fuzz for some minutes; print how often what came out, and each fault."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument("--keep", type=Path, default=Path("fuzz-finds"))
    arguments.add_argument("--files", type=Path, help="a folder of real files to mutate, too")
    chosen = arguments.parse_args()
    real = real_files(chosen.files) if chosen.files else []
    parsers()  # loaded before the first fork
    findings = Findings(chosen.keep)
    until = time.monotonic() + 60 * chosen.minutes
    batch = 0
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / "last"
        while time.monotonic() < until:
            run_batch(f"{chosen.seed}/{batch}", note, until, real, findings)
            batch += 1
    outcomes = findings.outcomes
    print(f"seed {chosen.seed}: {outcomes.total()} files, {dict(outcomes.most_common())}")
    print(f"processes ended by a file: {dict(findings.ended)}")
    print(f"slowest {findings.slowest[0]:.1f} s CPU ({findings.slowest[1]}), {len(findings.faults)} faults")
    return int(bool(findings.faults))


if __name__ == "__main__":
    sys.exit(main())
