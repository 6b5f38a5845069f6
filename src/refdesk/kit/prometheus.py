"""Prometheus' text format, version 0.0.4: families of samples to text. Knows nothing of what is measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

type Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """One line: `suffix` goes behind the family's name, as `_bucket`."""

    labels: Labels
    value: float
    suffix: str = ""


@dataclass(slots=True)
class Family:
    """All samples of one name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: list[Sample] = field(default_factory=list[Sample])

    def add(self, value: float, **labels: str) -> None:
        self.samples.append(Sample(labels, value))

    def add_histogram(
        self, bounds: Sequence[float], counts: Sequence[int], total: float, labels: Labels
    ) -> None:
        """A histogram: how many values fell below each bound and not below the one before; the last of
        `counts` are those above all bounds."""
        below = 0
        for bound, count in zip((*bounds, float("inf")), counts, strict=True):
            below += count
            self.samples.append(Sample({**labels, "le": _number(bound)}, below, "_bucket"))
        self.samples.append(Sample(labels, total, "_sum"))
        self.samples.append(Sample(labels, below, "_count"))


def exposition(families: Iterable[Family]) -> str:
    """The text that Prometheus reads. A family without samples is named, so that it is known to exist."""
    lines: list[str] = []
    for family in families:
        lines.append(f"# HELP {family.name} {_escaped(family.help, quotes=False)}")
        lines.append(f"# TYPE {family.name} {family.kind}")
        lines += [
            f"{family.name}{one.suffix}{_labels(one.labels)} {_number(one.value)}" for one in family.samples
        ]
    return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str, *, quotes: bool = True) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
