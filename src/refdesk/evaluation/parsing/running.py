"""Runs files as an upload would: read and split in a limited process."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from refdesk.evaluation.parsing.checks import faults_of
from refdesk.evaluation.parsing.expectations import Expectation
from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing import Parsed, ParseError, ParseOptions
from refdesk.knowledge.reading import Limits, read_limited
from refdesk.knowledge.splitting import SplitResult

DEFAULT_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file. `code` is that of the failure, empty where the file was read."""

    expectation: Expectation
    code: str
    seconds: float
    coverage: float | None
    warnings: tuple[str, ...]
    faults: tuple[str, ...] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether everything expected of the file is so."""
        return not self.faults


type Read = tuple[Parsed, SplitResult] | AppError


def run(expectation: Expectation, options: ParseOptions, timeout_s: float) -> Read:
    """The file read and split, or why it was not."""
    try:
        limits = Limits(timeout_s=timeout_s, split_timeout_s=timeout_s)
        reading = read_limited(expectation.path, expectation.path.name, options, limits=limits)
        return reading.parsed, reading.result
    except AppError as error:
        return error


def check(expectation: Expectation, options: ParseOptions, timeout_s: float) -> Outcome:
    """Run one file and compare; a protected one is run without, with a wrong and with the right password."""
    begin = time.monotonic()
    if not expectation.path.is_file():
        return Outcome(expectation, "", 0.0, None, (), ("the file is missing",))
    read = run(expectation, options, timeout_s)
    faults = faults_of(expectation, read, ocr=options.ocr != "off")
    if expectation.expect == "password" and not faults and expectation.password:
        wrong = run(expectation, replace(options, password=f"not {expectation.password}"), timeout_s)
        if not (isinstance(wrong, ParseError) and wrong.code == "password-wrong"):
            faults.append("a wrong password is not reported as wrong")
        right = run(expectation, replace(options, password=expectation.password), timeout_s)
        opened = replace(expectation, expect="text")
        faults += [f"with the password: {fault}" for fault in faults_of(opened, right, ocr=True)]
    seconds = time.monotonic() - begin
    if isinstance(read, AppError):
        return Outcome(expectation, read.code, seconds, None, (), tuple(faults))
    parsed, result = read
    codes = tuple(warning.code for warning in (*parsed.warnings, *result.warnings))
    return Outcome(expectation, "", seconds, parsed.coverage, codes, tuple(faults))


def check_all(
    expectations: Iterable[Expectation],
    options: ParseOptions | None = None,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    jobs: int = 1,
    on_outcome: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Outcomes in the order of the rows; `jobs` files are read at once."""
    chosen = options or ParseOptions()
    outcomes: list[Outcome] = []

    def one(expectation: Expectation) -> Outcome:
        return check(expectation, chosen, timeout_s)

    with ThreadPoolExecutor(jobs) as pool:
        for outcome in pool.map(one, expectations):
            outcomes.append(outcome)
            if on_outcome:
                on_outcome(outcome)
    return outcomes
