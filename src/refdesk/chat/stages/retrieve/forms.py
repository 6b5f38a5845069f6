"""What a call needs of the person before it is made: its missing arguments, or their yes. Both are forms that
end the run; the reply goes on with the same plan, whatever process gets it.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.chat.pending import Pending, Resumed
from refdesk.chat.stages.retrieve.plan import Plan, PlannedCall
from refdesk.chat.stages.retrieve.planning import with_values
from refdesk.tools import Toolbox, ToolSpec
from refdesk.tools.arguments import asking_text, check_arguments, form_fields

PLAN = "plan"

_APPROVE: dict[Language, str] = {
    "zh": "将调用「{title}」，这会进行更改。是否同意？\n{arguments}",
    "en": "“{title}” is about to be called, which changes something. Do you agree?\n{arguments}",
}


async def ask_person(context: RunContext, toolbox: Toolbox, plan: Plan) -> bool:
    """Whether the plan waits for the person; then the form is out and the run is over."""
    call = plan.waiting()
    spec = toolbox.find(call.tool_id) if call is not None else None
    if call is None or spec is None:
        return False
    async with context.recorder.stage("ask") as detail:
        detail |= {"tool": call.name, "arguments": dict(call.arguments), "waits_for": call.state}
        if call.state == "missing":
            form = _parameters(call, spec, context.language)
            pending = Pending(
                context.run_id,
                "parameters",
                context.question,
                {"fields": form["fields"], PLAN: plan.to_json()},
            )
        else:
            form = _approval(call, context.language)
            pending = Pending(context.run_id, "approval", context.question, {PLAN: plan.to_json()})
        await context.pending.put(pending)
        context.recorder.form(form)
        context.recorder.delta(form["text"])
    return True


def waiting_plan(resumed: Resumed | None) -> Plan | None:
    """The plan that a reply goes on with, if it does."""
    stored = resumed.pending.state.get(PLAN) if resumed is not None else None
    return Plan.of(stored) if stored is not None else None


def answered_plan(plan: Plan, resumed: Resumed, toolbox: Toolbox) -> Plan:
    """The plan with the reply in it. Only what was shown is agreed to: the arguments come from the plan."""
    call = plan.waiting()
    if call is None:
        return plan
    spec = toolbox.find(call.tool_id)
    if spec is None:
        return plan.with_call(call, replace(call, state="impossible", reason="The tool is gone."))
    if resumed.pending.kind == "approval":
        return plan.with_call(call, replace(call, state="approved" if resumed.approve else "declined"))
    checked = check_arguments({**call.arguments, **resumed.fields}, spec.parameters)
    return plan.with_call(call, with_values(call, spec, checked))


def _parameters(call: PlannedCall, spec: ToolSpec, language: Language) -> dict[str, Any]:
    fields = form_fields(spec.parameters, call.wanted, language)
    return {
        "kind": "parameters",
        "title": call.title,
        "text": asking_text(fields, language),
        "fields": [field.as_json() for field in fields],
        "call": {"tool": call.name, "title": call.title, "arguments": dict(call.arguments)},
    }


def _approval(call: PlannedCall, language: Language) -> dict[str, Any]:
    text = _APPROVE[language].format(title=call.title, arguments=_listed(call.arguments))
    return {
        "kind": "approval",
        "title": call.title,
        "text": text.strip(),
        "call": {"tool": call.name, "title": call.title, "arguments": dict(call.arguments)},
    }


def _listed(arguments: Mapping[str, Any]) -> str:
    """Each argument on a line of its own, as a person reads it."""
    return "\n".join(
        f"- {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    )
