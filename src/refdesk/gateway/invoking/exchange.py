"""What a model's descriptor says of its input and output, ready to hold values against."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from refdesk.gateway.descriptors.forms import INPUT_SCHEMAS, OUTPUT_SCHEMAS
from refdesk.gateway.descriptors.json_schema import Checker, Fault
from refdesk.gateway.invoking.errors import ModelInputInvalid, ModelOutputInvalid, ModelOutputUndeclared
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.tables import Model

_KEPT = 1_000
_FORMS = {kind: Checker.of(schema) for kind, schema in INPUT_SCHEMAS.items()}


@dataclass(frozen=True, slots=True)
class Exchange:
    """The checks of one model, as its row is now."""

    model: str
    inputs: tuple[Checker, ...]
    output: Checker
    undeclared_output: str

    @classmethod
    def of(cls, row: Model) -> "Exchange":
        own = row.input_schema
        inputs = (_FORMS[row.kind],)
        if own is not None and own != INPUT_SCHEMAS[row.kind]:
            # Its own first, for its words are the descriptor's; then what can be sent on at all.
            inputs = (Checker.of(own), *inputs)
        output = Checker.of(row.output_schema or OUTPUT_SCHEMAS[row.kind])
        return cls(row.name, inputs, output, row.undeclared_output)

    def check_input(self, given: Mapping[str, Any]) -> None:
        """Raise `ModelInputInvalid`: what does not fit is never sent on (X11, X54)."""
        for checker in self.inputs:
            faults = checker.faults(given)
            if faults:
                first = _named("input", faults[0])
                raise ModelInputInvalid(
                    f"{first}. The model {self.model} was not called.", faults=_listed("input", faults)
                )

    def checked_output(self, output: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The output as it is passed on, and the fields that were left out. Raises `ModelOutputUndeclared`,
        `ModelOutputInvalid`."""
        declared, odd = self.output.undeclared(output)
        if odd and self.undeclared_output == "refuse":
            raise ModelOutputUndeclared(
                f"The output field {odd[0]} of {self.model} is not declared in its output_schema.",
                model=self.model,
                fields=odd,
            )
        passed = declared if self.undeclared_output == "filter" else output
        faults = self.output.faults(declared)
        if faults:
            raise ModelOutputInvalid(
                f"The answer of {self.model} does not fit its output_schema: {_named('output', faults[0])}.",
                model=self.model,
                faults=_listed("output", faults),
            )
        return passed, odd if self.undeclared_output == "filter" else []


class Exchanges:
    """Checks of many models, each made once and again when its row changes."""

    def __init__(self) -> None:
        self._kept: dict[UUID, tuple[datetime, Exchange]] = {}

    def of(self, model: RoutedModel) -> Exchange:
        found = self._kept.get(model.id)
        if found is None or found[0] != model.updated_at:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            found = self._kept[model.id] = (model.updated_at, Exchange.of(model.row))
        return found[1]


def _named(whole: str, fault: Fault) -> str:
    return f"{whole}.{fault}" if fault.field else f"{whole} {fault}"


def _listed(whole: str, faults: list[Fault]) -> list[dict[str, str]]:
    return [
        {"field": f"{whole}.{one.field}" if one.field else whole, "message": one.message} for one in faults
    ]
