"""Parsing measured on files whose text is known: `python -m refdesk.evaluation.parsing DIRECTORY`.

Reads `expect.jsonl`, one JSON object a line (`expectations`), runs every file through the same limited
process and splitter as an upload, and tells what does not hold (`checks`). Must not make allowances for
single files.
"""

from refdesk.evaluation.parsing.checks import faults_of
from refdesk.evaluation.parsing.expectations import Expectation, NoExpectations, read_expectations
from refdesk.evaluation.parsing.running import Outcome, check_all, run
from refdesk.evaluation.parsing.summary import Summary, summary

__all__ = [
    "Expectation",
    "NoExpectations",
    "Outcome",
    "Summary",
    "check_all",
    "faults_of",
    "read_expectations",
    "run",
    "summary",
]
