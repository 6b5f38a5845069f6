"""Reading: a file, or what was kept of it, → paragraphs, in one process with limits.

Owns the way through the limited process where both parsing and splitting happen, so that neither a hostile
file nor a pathological text or pattern can hold up or exhaust the worker or the server. Knows neither the
database nor documents; how a file is parsed and how a text is split is the business of `parsing` and
`splitting`, whose failures it passes on.
"""

from refdesk.knowledge.reading.limited import (
    Limits,
    Reading,
    check_patterns_in_subprocess,
    read_in_subprocess,
    read_limited,
    split_in_subprocess,
)

__all__ = [
    "Limits",
    "Reading",
    "check_patterns_in_subprocess",
    "read_in_subprocess",
    "read_limited",
    "split_in_subprocess",
]
