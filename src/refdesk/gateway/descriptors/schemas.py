"""Descriptors at the border."""

from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway.descriptors.planning import PlannedModel
from refdesk.gateway.descriptors.reading import DescriptorProblem
from refdesk.gateway.kinds import Kind
from refdesk.gateway.schemas import Endpoint
from refdesk.kit.border_types import CleanText, Name, PlainLine


class DescriptorText(BaseModel):
    """A descriptor as YAML."""

    yaml: str


class DescriptorIn(BaseModel):
    """YAML to be checked or taken in, one document a model. With `replace` models that are there are changed;
    without, a model_id that is there is a duplicate unless nothing differs."""

    model_config = ConfigDict(extra="forbid")

    yaml: CleanText = Field(max_length=1024 * 1024)
    replace: bool = False


class EditedDescriptor(BaseModel):
    """One model's descriptor as it was edited."""

    model_config = ConfigDict(extra="forbid")

    yaml: CleanText = Field(max_length=1024 * 1024)


class DescriptorPlan(BaseModel):
    """What taking it in would do. Nothing is done while there are problems."""

    models: list[PlannedModel]
    problems: list[DescriptorProblem]


class TakenIn(BaseModel):
    """What was done."""

    models: list[PlannedModel]


class DraftRequest(Endpoint):
    """A model of a vendor's list that is to be described. The key is used to read the list, and not kept."""

    kind: Kind = "LLM"
    model_name: PlainLine = Field(min_length=1, max_length=200)
    name: Name | None = Field(default=None, description="Its model_id; the vendor's name by default.")
