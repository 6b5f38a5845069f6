"""The plan carried out: every search and every call at once, each with a deadline of its own.

What fails or takes too long costs its own result and a warning. Only where nothing at all could be fetched
does the run fail, with the first search's error. A tool that asks first is called with an agreement or not at
all, whatever the plan says of it.
"""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

import structlog
from sqlalchemy.exc import DBAPIError

from refdesk.chat.considered import CONSIDERED, considered
from refdesk.chat.context import RunContext
from refdesk.chat.faults import reason_of
from refdesk.chat.language import Language
from refdesk.chat.searching import record_of, search_record, search_request, told
from refdesk.chat.stages.retrieve.found import Found, PartFound, ToolAnswer
from refdesk.chat.stages.retrieve.merging import combine, merge_channels
from refdesk.chat.stages.retrieve.plan import Plan, PlannedCall, PlannedPart
from refdesk.chat.stages.stage import FAILURES, code_of
from refdesk.kit.ids import new_id
from refdesk.retrieval import SearchRequest, SearchResult
from refdesk.tools import Toolbox, ToolFault, ToolResult

log = structlog.get_logger(__name__)

# What of a tool's answer events carry; the record of the trace cuts it further.
SHOWN_CHARS = 4_000

_SEARCH_FAILED: dict[Language, str] = {
    "zh": "有一部分文档检索没有完成，回答可能不全。",
    "en": "Part of the search did not finish; the answer may be incomplete.",
}
_TOOL_FAILED: dict[Language, str] = {
    "zh": "工具「{title}」没有给出结果：{reason}。",
    "en": "The tool “{title}” gave no result: {reason}.",
}
_DECLINED: dict[Language, str] = {
    "zh": "按您的意愿，没有执行「{title}」。",
    "en": "“{title}” was not carried out, as you wished.",
}


@dataclass(frozen=True, slots=True)
class _Failed:
    """A search that gave nothing."""

    error: BaseException


async def fetch(context: RunContext, toolbox: Toolbox, plan: Plan) -> Found:
    """Everything the plan asks for. Raises the first search's error where nothing could be fetched."""
    recorder = context.recorder
    async with recorder.stage("retrieve") as detail:
        if len(plan.parts) == 1:
            detail["query"] = plan.parts[0].search
        else:
            detail["queries"] = [part.search for part in plan.parts]
        pairs = await asyncio.gather(*(_part(context, toolbox, part) for part in plan.parts))
        parts: list[PartFound] = []
        failures: list[_Failed] = []
        for part, (searched, answers) in zip(plan.parts, pairs, strict=True):
            if isinstance(searched, _Failed):
                failures.append(searched)
                searched = None
            parts.append(PartFound(part.question, searched, answers))
        search = combine([part.search for part in parts if part.search is not None])
        rules = tuple(dict.fromkeys(rule for part in plan.parts for rule in part.rules))
        found = Found(plan.question, tuple(parts), search, rules)
        if failures:
            detail["failed"] = code_of(failures[0].error)
            if search is None and not found.answers:
                raise failures[0].error
            recorder.warning("search-incomplete", _SEARCH_FAILED[context.language])
        _record(context, plan, found, detail)
    return found


async def _part(
    context: RunContext, toolbox: Toolbox, part: PlannedPart
) -> tuple[SearchResult | _Failed | None, tuple[ToolAnswer, ...]]:
    calls = asyncio.gather(*(_call(context, toolbox, call) for call in part.calls))
    if not part.searches:
        return None, tuple(await calls)
    searched, answers = await asyncio.gather(_search(context, part), calls)
    return searched, tuple(answers)


async def _search(context: RunContext, part: PlannedPart) -> SearchResult | _Failed:
    """The directed channel beside the global one; each may fail alone."""
    profile = context.profile
    bases, top_n = profile.knowledge_base_ids, part.top_k or profile.top_n
    everywhere = search_request(profile, part.search, bases, top_n=top_n)
    if part.documents:
        chosen = replace(everywhere, document_ids=part.documents)
        return await _channel(context, "chosen", chosen)
    if not part.base_ids or set(part.base_ids) == set(bases):
        return await _channel(context, "global", everywhere)
    directed = search_request(profile, part.search, part.base_ids, top_n=top_n, share=2)
    everywhere = search_request(profile, part.search, bases, top_n=top_n, share=2)
    first, second = await asyncio.gather(
        _channel(context, "directed", directed, one_of_two=True),
        _channel(context, "global", everywhere, one_of_two=True),
    )
    if isinstance(first, _Failed):
        return second
    return first if isinstance(second, _Failed) else merge_channels(first, second, top_n)


async def _channel(
    context: RunContext, name: str, request: SearchRequest, *, one_of_two: bool = False
) -> SearchResult | _Failed:
    async with context.recorder.span(f"search:{name}") as detail:
        detail |= {"query": request.query, "bases": len(request.knowledge_base_ids)}
        try:
            async with asyncio.timeout(context.profile.stages.retrieve.deadline_s):
                result = await _result_of(context, request)
        except FAILURES as error:
            log.warning("chat.search-failed", channel=name, error=code_of(error))
            detail["failed"] = code_of(error)
            return _Failed(error)
        detail |= search_record(context.profile, result)
        if one_of_two:  # a lone channel's candidates are the stage's
            detail[CONSIDERED] = considered(result)
        return result


async def _result_of(context: RunContext, request: SearchRequest) -> SearchResult:
    """The search, made again where its connection was cut: after a restart the next one lives."""
    try:
        return await context.searcher.search(context.scope, request)
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
    return await context.searcher.search(context.scope, request)


async def _call(context: RunContext, toolbox: Toolbox, call: PlannedCall) -> ToolAnswer:
    recorder, call_id = context.recorder, new_id().hex
    recorder.tool_call(
        {"id": call_id, "tool": call.name, "title": call.title, "arguments": dict(call.arguments)}
    )
    result = await _result(context, toolbox, call)
    fault = result.fault
    recorder.tool_result(
        {
            "id": call_id,
            "tool": call.name,
            "ok": result.ok,
            "text": result.text[:SHOWN_CHARS],
            "fault": {"code": fault.code, "message": fault.message} if fault is not None else None,
            "elapsed_ms": result.elapsed_ms,
        }
    )
    if fault is not None:
        words = _DECLINED if fault.code == "declined" else _TOOL_FAILED
        code = "tool-declined" if fault.code == "declined" else "tool-failed"
        reason = reason_of(fault.code, fault.message, context.language)
        message = words[context.language].format(title=call.title, reason=reason)
        recorder.warning(code, message, each=True)
    return ToolAnswer(call_id, call.name, call.title, call.arguments, result)


async def _result(context: RunContext, toolbox: Toolbox, call: PlannedCall) -> ToolResult:
    spec = toolbox.find(call.tool_id)
    if spec is None:
        return _fault("unknown-tool", "The tool is not there any more.")
    if call.state == "declined":
        return _fault("declined", "The person did not agree.")
    if call.state != "approved" and (spec.ask_first or call.state != "ready"):
        code = "not-agreed" if spec.ask_first else "arguments-unusable"
        return _fault(code, call.reason or "It was not made.")
    return await toolbox.call(
        spec.id, call.arguments, context.caller, timeout_s=context.profile.stages.tools.deadline_s
    )


def _fault(code: str, message: str) -> ToolResult:
    return ToolResult("", fault=ToolFault(code, message))


def _record(context: RunContext, plan: Plan, found: Found, detail: dict[str, Any]) -> None:
    profile, search = context.profile, found.search
    detail["bases"] = len(profile.knowledge_base_ids)
    if plan.calls:
        detail["tools"] = {"called": len(plan.calls), "answered": len(found.answers)}
    if search is None:
        return
    detail |= search_record(profile, search)
    detail[CONSIDERED] = considered(search)
    if profile.rerank is None:
        context.recorder.skipped("rerank", "no-reranker")
    for warning in search.warnings:
        context.recorder.warning(warning.code, told(warning, search, context.language))
    context.recorder.sources(record_of(search))
