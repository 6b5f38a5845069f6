"""Fallback policies, the health of models, purposes: list, show, save, check, assign, try, health, probe."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

POLICIES = "/api/v1/fallback-policies"
ROUTES = "/api/v1/purpose-routes"
HEALTH = "/api/v1/model-health"

PolicyArgument = Annotated[str, typer.Argument(metavar="POLICY", help="Its policy_id, or its id.")]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="Name or id of the model.")]
FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help='JSON: {"policy_id": …, "rules": [{"condition": …, "action": …}]}.',
    ),
]
KindOption = Annotated[str, typer.Option(help="Kind of the model: LLM, EMBEDDING, RERANKER …")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "policies", "What happens when a model fails, and how models are.")
    add_command(group, "list", list_policies)
    add_command(group, "show", show)
    add_command(group, "save", save)
    add_command(group, "check", check)
    add_command(group, "assign", assign)
    add_command(group, "try", try_policy)
    add_command(group, "delete", delete)
    add_command(group, "health", health)
    add_command(group, "probe", probe)
    add_command(group, "routes", routes)
    add_command(group, "route", route)
    add_command(group, "unroute", unroute)


async def list_policies(client: Client) -> Result:
    """List the fallback policies with the models that use them."""
    items = await client.all(POLICIES)
    return Result(items, [_line(item) for item in items] or ["No fallback policies yet."])


async def show(client: Client, policy: PolicyArgument) -> Result:
    """Show the rules of a policy."""
    found = await _policy(client, policy)
    names = {target["id"]: target["name"] for target in found["targets"]}
    lines = [_line(found), *(f"  {n}. {_rule(rule, names)}" for n, rule in enumerate(found["rules"], 1))]
    return Result(found, lines)


async def save(client: Client, file: FileArgument) -> Result:
    """Add the policy of a file, or change the one of the same policy_id."""
    draft = _read(file)
    named = [item for item in await client.all(POLICIES) if item["policy_id"] == draft.get("policy_id")]
    if named:
        saved = await client.patch(f"{POLICIES}/{named[0]['id']}", draft)
    else:
        saved = await client.post(POLICIES, draft)
    return Result(saved, [f"Saved {saved['policy_id']} with {len(saved['rules'])} rules."])


async def check(client: Client, file: FileArgument) -> Result:
    """Tell what is wrong with the policy of a file; nothing is kept. Ends with 1 if there is anything."""
    draft = _read(file)
    named = [item["id"] for item in await client.all(POLICIES) if item["policy_id"] == draft.get("policy_id")]
    body = {"rules": draft.get("rules", []), "policy": named[0] if named else None}
    result = await client.post(f"{POLICIES}/check", body)
    lines = [
        f"Rule {fault['rule']}: {fault['message']}" if fault["rule"] else fault["message"]
        for fault in result["faults"]
    ]
    return Result(result, lines or ["Good."], exit_code=0 if result["ok"] else 1)


async def assign(
    client: Client,
    model: ModelArgument,
    policy: Annotated[
        str | None, typer.Argument(metavar="POLICY", help="Its policy_id or id; without one: none.")
    ] = None,
) -> Result:
    """Give a model a fallback policy, or take its policy away."""
    found = await find(client, "/api/v1/models", model, what="model")
    chosen = (await _policy(client, policy))["id"] if policy is not None else None
    changed = await client.patch(f"/api/v1/models/{found['id']}", {"fallback_policy_id": chosen})
    told = f"falls back by {policy}" if policy is not None else "has no fallback policy"
    return Result(changed, [f"{found['name']} {told} now."])


async def try_policy(
    client: Client,
    model: ModelArgument,
    code: Annotated[int, typer.Option(min=100, max=599, help="What it answers, as 503.")] = 200,
    after_ms: Annotated[int, typer.Option(min=0, help="After how long it answers or fails.")] = 100,
    error: Annotated[str | None, typer.Option(help="Code of the error, as model-context-exceeded.")] = None,
    input_tokens: Annotated[int, typer.Option(min=0, help="How long the input is.")] = 1_000,
    breaker_open: Annotated[bool, typer.Option("--breaker-open", help="As if it had failed before.")] = False,
) -> Result:
    """Show what would happen if a model failed like this. No model is asked."""
    found = await find(client, "/api/v1/models", model, what="model")
    body = {
        "model_id": found["id"],
        "happening": {"response_code": code, "latency_ms": after_ms, "error": error},
        "input_tokens": input_tokens,
        "breaker_open": breaker_open,
    }
    run = await client.post(f"{POLICIES}/dry-run", body)
    lines: list[str] = []
    for step in run["steps"]:
        lines.append(f"{step['at_ms']:>7} ms  {step['model']['name']} {step['happened']} → {step['next']}")
        lines += [f"            rule {rule['rule']}: {rule['note']}" for rule in step["rules"]]
    return Result(run, [*lines, run["message"]], exit_code=0 if run["ok"] else 1)


async def delete(client: Client, policy: PolicyArgument) -> Result:
    """Delete a policy that no model uses."""
    found = await _policy(client, policy)
    await client.delete(f"{POLICIES}/{found['id']}")
    return Result({"deleted": found["id"]}, [f"Deleted {found['policy_id']}."])


async def health(client: Client) -> Result:
    """Show the state of every model: breaker, share of good calls, last health check."""
    items = await client.all(HEALTH)
    return Result(items, [line for item in items for line in _health(item)])


async def probe(client: Client, model: ModelArgument) -> Result:
    """Check a model's health endpoint now. Ends with 1 if it is not well."""
    found = await find(client, "/api/v1/models", model, what="model")
    result = await client.post(f"{HEALTH}/{found['id']}/probe")
    return Result(result, [result["message"]], exit_code=0 if result["ok"] else 1)


async def routes(client: Client) -> Result:
    """List the purposes that have a model of their own."""
    items = await client.all(ROUTES)
    lines = [f"{item['purpose']}  [{item['kind']}]  {item['model']['name']}" for item in items]
    return Result(items, lines or ["Every purpose is served by the default model."])


async def route(
    client: Client,
    purpose: Annotated[str, typer.Argument(metavar="PURPOSE", help="As answer, or a name of your own.")],
    model: ModelArgument,
) -> Result:
    """Serve a purpose by a model."""
    found = await find(client, "/api/v1/models", model, what="model")
    saved = await client.put(f"{ROUTES}/{found['kind']}/{purpose}", {"model_id": found["id"]})
    return Result(saved, [f"{purpose} is served by {found['name']} now."])


async def unroute(
    client: Client,
    purpose: Annotated[str, typer.Argument(metavar="PURPOSE", help="As `policies routes` lists it.")],
    kind: KindOption = "LLM",
) -> Result:
    """Serve a purpose by the default model again."""
    await client.delete(f"{ROUTES}/{kind.upper()}/{purpose}")
    return Result({"unrouted": purpose}, [f"{purpose} is served by the default model now."])


async def _policy(client: Client, wanted: str) -> Any:
    return await find(client, POLICIES, wanted, what="fallback policy", by="policy_id")


def _read(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{file} is no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidArgument(f'{file} holds no policy; it looks like {{"policy_id": "…", "rules": [...]}}.')
    return value  # pyright: ignore[reportUnknownVariableType] — the server checks the members


def _line(policy: dict[str, Any]) -> str:
    users = ", ".join(model["name"] for model in policy["models"]) or "no model"
    return f"{policy['policy_id']}  {len(policy['rules'])} rules  used by {users}"


def _rule(rule: dict[str, Any], names: dict[str, str]) -> str:
    match rule["action"]:
        case "switch_to_model":
            again = f", asked again {rule['retry_times']} times before" if rule["retry_times"] else ""
            told = f"switch to {names.get(rule['target_model_id'], rule['target_model_id'])}{again}"
        case "rate_limit":
            told = f"wait {rule['delay_ms']} ms and ask again, {rule['retry_times']} times at most"
        case "retry":
            told = (
                f"ask again {rule['retry_times']} times, after {rule['backoff_ms']} ms and longer each time"
            )
        case _:
            told = f"refuse: {rule['message']}"
    return f"if {rule['condition']}: {told}"


def _health(item: dict[str, Any]) -> list[str]:
    figure = item["day"]["figure"]
    share = (
        f"{figure:.2%} of {item['day']['calls']} calls in 24 h" if figure is not None else "no calls in 24 h"
    )
    lines = [f"{item['model']['name']}  [{item['kind']}]  {item['state']}  {share}"]
    if item["last_probe"] is not None:
        lines.append(f"    {item['last_probe']['message']}")
    if item["state"] != "closed" and item["last_failure"] is not None:
        failure = item["last_failure"]
        lines.append(f"    last failure: {failure['response_code']} {failure['code']}")
    return lines
