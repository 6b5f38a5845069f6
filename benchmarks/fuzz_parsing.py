"""Mutate small files of every kind and read them: only clear failures, no hang, no lost text.

    python -m benchmarks.fuzz_parsing [--minutes 10] [--seed N] [--keep FOLDER]

Containers are mutated inside: a part is unpacked, changed and packed again, so that changes reach the parser
and not only the ZIP directory. Every result is split with changing settings; the spans of the paragraphs must
cover the text. A file that breaks a rule is written to `--keep` and printed; exit code 1. OCR is off: it has
a time limit of its own and would be most of the time.
"""

import argparse
import hashlib
import io
import random
import signal
import sys
import time
import traceback
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path
from types import FrameType

from tests.unit.knowledge.parsing.samples import sample

from refdesk.knowledge.parsing import Parsed, ParseError, ParseOptions, parse, parse_limited, parsers
from refdesk.knowledge.splitting import Profile, SplitSettings, Unit, split

HANG_S = 20
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
    if data.startswith(b"PK\x03\x04") and chance.random() < 0.8:
        with zipfile.ZipFile(io.BytesIO(data)) as source:
            members = {info.filename: source.read(info) for info in source.infolist()}
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


def check(data: bytes, name: str, chance: random.Random) -> str:
    """Read and split; the code of a clear failure, or `ok`. Raises whatever is wrong."""
    try:
        # calamine may ask for all memory there is for a damaged workbook, and Rust then ends the process.
        read = partial(parse_limited, timeout_s=HANG_S) if name.endswith(".xls") else parse
        parsed = read(data, name, _OPTIONS)
    except ParseError as error:
        return error.code
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
    return "ok"


def _check_offsets(parsed: Parsed) -> None:
    for block in parsed.blocks:
        assert parsed.text[block.offset : block.offset + len(block.text)] == block.text, "offsets are wrong"
    assert 0 <= parsed.kept_chars <= parsed.extracted_chars, "counts are wrong"


def _visible(text: str) -> str:
    """Text without white space and without what the filter may remove whole."""
    return "".join(c for c in text if not c.isspace() and c.isprintable())


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Hang(f"more than {HANG_S} s")


def main() -> int:
    """Fuzz for some minutes; print how often what came out, and each fault."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument("--keep", type=Path, default=Path("fuzz-finds"))
    chosen = arguments.parse_args()
    chance = random.Random(chosen.seed)
    outcomes: Counter[str] = Counter()
    faults: set[str] = set()
    slowest = (0.0, "")
    kinds = [parser.kind for parser in parsers()]
    signal.signal(signal.SIGALRM, _stop)
    end = time.monotonic() + 60 * chosen.minutes
    while time.monotonic() < end:
        kind = chance.choice(kinds)
        source = sample(kind)
        data = mutated(source.data, chance)
        begin = time.process_time()
        signal.alarm(HANG_S)
        try:
            outcomes[check(data, source.name, chance)] += 1
        except Exception as error:  # noqa: BLE001 - every other exception is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{kind}: {type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
            if fault not in faults:
                faults.add(fault)
                chosen.keep.mkdir(exist_ok=True)
                (chosen.keep / f"{kind}-{hashlib.sha256(data).hexdigest()[:12]}-{source.name}").write_bytes(
                    data
                )
                print(fault, flush=True)
        finally:
            signal.alarm(0)
        slowest = max(slowest, (time.process_time() - begin, kind))
    print(f"seed {chosen.seed}: {outcomes.total()} files, {dict(outcomes.most_common())}")
    print(f"slowest {slowest[0]:.1f} s CPU ({slowest[1]}), {len(faults)} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
