"""Splitting is linear: 100,000 sections in at most 12 times the time of 10,000.

Run with `python benchmarks/splitting.py [--json]`; exits with 1 where the ratio is missed. Times are of CPU,
the best of three, so that other work on the machine does not count.
"""

import json
import sys
import time
from collections.abc import Callable

from refdesk.knowledge.parsing import Parsed
from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.splitting import SplitSettings, pieces, split

SMALL, LARGE, MAX_RATIO = 10_000, 100_000, 12.0
_TEXT = "客户在七天内可以退货，运费自理。Refunds take three days, e.g. from Monday. "


def made(sections: int) -> Parsed:
    """A file of sections with short and some long texts, lists and tables."""
    found = BlockList()
    for n in range(sections):
        found.add("heading", f"{n // 100}.{n % 100} Section {n}", level=n % 3 + 1)
        found.add("paragraph", _TEXT * (60 if n % 50 == 0 else 1))
        if n % 20 == 0:
            rows = "\n".join(f"| {k} | {k * n} |" for k in range(10))
            found.add("table", f"| a | b |\n| --- | --- |\n{rows}")
    return Parsed("made", "markdown", tuple(found.blocks), {}, (), 0, 0)


def best(work: Callable[[], object]) -> float:
    """Least CPU seconds of three runs."""
    times: list[float] = []
    for _ in range(3):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def main() -> int:
    """Measure all profiles, patterns and pieces; print one line each."""
    cases = {
        "standard": SplitSettings(),
        "compact": SplitSettings(profile="compact"),
        "structured": SplitSettings(profile="structured"),
        "patterns": SplitSettings(patterns=(r"^# .*", r"^## .*", r"^### .*")),
    }
    files = {size: made(size) for size in (SMALL, LARGE)}
    for file in files.values():
        _ = file.text  # joined once, not part of splitting
    results: list[dict[str, object]] = []
    for name, settings in cases.items():
        small, large = (best(lambda f=files[size], s=settings: split(f, s)) for size in (SMALL, LARGE))
        results.append(
            {"case": name, "small_s": round(small, 3), "large_s": round(large, 3), "ratio": large / small}
        )
    texts = {size: _TEXT * size for size in (SMALL, LARGE)}
    small, large = (
        best(lambda t=texts[size]: pieces(t, limit_chars=400, overlap_chars=60)) for size in (SMALL, LARGE)
    )
    results.append(
        {"case": "pieces", "small_s": round(small, 3), "large_s": round(large, 3), "ratio": large / small}
    )
    if "--json" in sys.argv:
        print(json.dumps(results))
    else:
        for row in results:
            print(f"{row['case']:<11} {row['small_s']:>7} s {row['large_s']:>7} s  x{row['ratio']:.1f}")
    return int(any(float(str(row["ratio"])) > MAX_RATIO for row in results))


if __name__ == "__main__":
    sys.exit(main())
