"""The models of a workspace as `/mcp/models` lists them, from memory."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway.clients import Gateway
from refdesk.gateway.descriptors.writing import describe
from refdesk.gateway.invoking.errors import ModelQueryInvalid
from refdesk.gateway.invoking.schemas import DescribedModel
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.tables import Model

_FIELDS: dict[str, Callable[[Model], str]] = {
    "model_id": lambda row: row.name,
    "id": lambda row: str(row.id),
    "kind": lambda row: row.kind,
    "provider": lambda row: row.provider,
    "version": lambda row: row.version,
}


async def find_models(gateway: Gateway, scope: Scope, query: str) -> list[DescribedModel]:
    """The models that fit every term of a query, by name. Raises `ModelQueryInvalid`."""
    snapshot = gateway.routing.snapshot
    await snapshot.ready()
    terms = [_term(word) for word in query.split()]
    found = [
        model
        for model in snapshot.all()
        if model.row.workspace_id == scope.workspace_id and all(term(model.row) for term in terms)
    ]
    return [_shown(gateway, model) for model in sorted(found, key=lambda model: model.row.name)]


def _term(word: str) -> Callable[[Model], bool]:
    """`field:value` (with `*` for anything, and commas between values of which one must fit), or a word that
    stands in the name."""
    name, colon, value = word.partition(":")
    if colon and name in _FIELDS:
        read, patterns = _FIELDS[name], [one.casefold() for one in value.split(",") if one]
        return lambda row: any(fnmatchcase(read(row).casefold(), _pattern(one)) for one in patterns)
    if colon and name.isidentifier():
        raise ModelQueryInvalid(f"Models are not found by {name}.", field=name)
    wanted = word.casefold()
    return lambda row: wanted in row.name.casefold() or wanted in row.model_name.casefold()


def _pattern(text: str) -> str:
    """Only `*` stands for something else: names hold brackets and question marks."""
    return text.replace("[", "[[]").replace("?", "[?]")


def _shown(gateway: Gateway, model: RoutedModel) -> DescribedModel:
    row = model.row
    policy = gateway.routing.snapshot.policy_of(model)
    names: dict[UUID, str] = {policy.id: policy.policy_id} if policy is not None else {}
    whole = describe(row, names).written()
    return DescribedModel.model_validate(
        {"concurrency": None, "fallback_policy_id": None, "is_default": False}
        | {
            name: value
            for name, value in whole.items()
            if name not in ("parameters", "measured", "credential")
        }
        | {"id": str(row.id), "health": gateway.routing.health.state(row.id).state}
    )
