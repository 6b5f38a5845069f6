"""Scores the evidence check on its labelled sentences: `python -m benchmarks.evidence_marking [--json]`.

Precision, recall and F1 of marking unsupported sentences, for the half the check was tuned on (`dev`) and the
half it was not (`held-out`), by language, and the microseconds a sentence takes. Target: F1 ≥ 0.8.
"""

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

from tests.unit.chat.evidence_cases import CASES, Case

from refdesk.chat.evidence import Evidence, Source


def score(cases: Sequence[Case]) -> dict[str, Any]:
    right = wrong = missed = 0
    begun = time.perf_counter()
    for case in cases:
        evidence = Evidence([Source(text, heading) for heading, text in case.sources])
        marked = not evidence.check(case.sentence).supported
        right += marked and not case.supported
        wrong += marked and case.supported
        missed += not marked and not case.supported
    elapsed = time.perf_counter() - begun
    precision, recall = right / (right + wrong), right / (right + missed)
    return {
        "sentences": len(cases),
        "unsupported": right + missed,
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "f1": round(2 * precision * recall / (precision + recall), 3),
        "us_per_sentence": round(elapsed / len(cases) * 1e6),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    result = {
        f"{split} {language or 'all'}": score(
            [case for case in CASES if case.split == split and language in ("", case.language)]
        )
        for split in ("dev", "held-out")
        for language in ("zh", "en", "")
    }
    print(json.dumps(result, indent=None if given.json else 2))


if __name__ == "__main__":
    main()
