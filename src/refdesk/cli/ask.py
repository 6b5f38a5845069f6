"""Ask a question: the answer as it is written, then where it stands."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import httpx
import typer

from refdesk.cli._ask_forms import ask_person, can_ask, how_to_reply, read_reply
from refdesk.cli._client import Client, InvalidArgument, RequestFailed, ServerUnreachable, answer
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._console import note
from refdesk.kit.sse import ServerSentEvent, read_events

BASES = "/api/v1/knowledge-bases"
APPLICATIONS = "/api/v1/applications"
Mode = Literal["embedding", "keywords", "blend"]
# A stream that breaks is taken up again where it stopped, this often.
RESUMES = 5


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    add_command(app, "ask", ask)


async def ask(
    client: Client,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="What you want to know.", show_default=False)
    ] = None,
    kb: Annotated[
        list[str] | None, typer.Option("--kb", help="Knowledge base, by name or id; repeatable.")
    ] = None,
    app: Annotated[str | None, typer.Option("--app", help="Application, by name or id.")] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="Id of a conversation to go on with.")
    ] = None,
    reply: Annotated[
        str | None,
        typer.Option(
            metavar="REPLY",
            help="Answers what the conversation was asked: an option, yes or no, FIELD=VALUE,… or JSON.",
        ),
    ] = None,
    mode: Annotated[Mode | None, typer.Option(help="How to search.")] = None,
    picture: Annotated[
        list[Path] | None,
        typer.Option("--picture", metavar="FILE", help="A picture the question is about; up to four."),
    ] = None,
    speak: Annotated[
        Path | None, typer.Option("--speak", metavar="FILE", help="Write the answer as sound to a file.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print the answer when it is complete, not as it is written.")
    ] = False,
) -> Result:
    """Ask a question. Ends with 1 if the answer could not be written. What the desk asks back is asked at
    the terminal; elsewhere it is printed, and `--reply` with `--conversation` answers it."""
    if reply is not None and conversation is None:
        raise InvalidArgument("--reply needs --conversation.")
    if (question is None) == (reply is None):
        raise InvalidArgument("Give a question, or a reply to what was asked.")
    if app is not None and kb:
        raise InvalidArgument("Give --kb or --app, not both.")
    body: dict[str, Any] = {"question": question, "conversation_id": conversation, "mode": mode}
    if app is not None:
        body["application_id"] = await _id(client, APPLICATIONS, app, "application")
    if kb:
        body["knowledge_base_ids"] = [await _id(client, BASES, name, "knowledge base") for name in kb]
    if reply is not None:
        body["reply"] = read_reply(reply)
    if picture:
        body["picture_ids"] = [await _keep(client, path) for path in picture]
    run = await client.post("/api/v1/runs", {key: value for key, value in body.items() if value is not None})
    writer = _Writer(shows=not quiet and not client.as_json)
    async for event in _follow(client, run["id"]):
        writer.take(event)
    run = await client.get(f"/api/v1/runs/{run['id']}")
    writer.end()
    while run.get("form") and writer.shows and can_ask():
        given = ask_person(run)
        if given is None:
            break
        body = {"conversation_id": run["conversation_id"], "reply": given}
        run = await client.post("/api/v1/runs", body)
        async for event in _follow(client, run["id"]):
            writer.take(event)
        run = await client.get(f"/api/v1/runs/{run['id']}")
        writer.end()
    if speak is not None and run["answer"]:
        _write(speak, await client.download(f"/api/v1/runs/{run['id']}/speech", method="POST"))
    value = {
        "answer": run["answer"],
        "citations": [_citation(citation) for citation in run["citations"]],
        "run_id": run["id"],
        "conversation_id": run["conversation_id"],
        "state": run["state"],
        "found": run["retrieval"]["found"],
        "retrieval": {key: run["retrieval"][key] for key in ("best", "threshold", "candidates", "decision")},
        "warnings": run["warnings"],
        "error": run["error"],
        "steps": writer.steps,
        "form": run.get("form"),
    }
    lines = [] if writer.shows else [run["answer"]]
    lines += _sources(run)
    for warning in run["warnings"]:
        # The built-in answer itself tells why nothing was found.
        if not client.as_json and warning["message"] not in run["answer"]:
            note(f"refdesk: {warning['message']} [{warning['code']}]")
    if run.get("form") and not client.as_json:
        note(f"Answer with: {how_to_reply(run)}")
    if run["error"] is not None and not client.as_json:
        error = run["error"]
        note(f"refdesk: {error['message']} [{error['code']}]")
        if error["hint"]:
            note(f"  {error['hint']}")
    return Result(value, lines, exit_code=0 if run["state"] == "finished" else 1)


async def _keep(client: Client, path: Path) -> str:
    """The id of a picture, once the server has it."""
    kept = await client.request("POST", "/api/v1/question-pictures", content=_read(path))
    return str(kept["id"])


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {error.strerror}.") from error


def _write(path: Path, sound: bytes) -> None:
    try:
        path.write_bytes(sound)
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be written: {error.strerror}.") from error


async def _id(client: Client, path: str, wanted: str, what: str) -> str:
    """The id of a thing given by name or id; an id is not looked up, which a key that may only ask cannot."""
    try:
        return str(UUID(wanted))
    except ValueError:
        return str((await find(client, path, wanted, what=what))["id"])


class _Writer:
    """Writes the answer to the terminal as it comes, and before it the calls of tools it rests on. `steps`
    are these calls with what they gave."""

    def __init__(self, *, shows: bool) -> None:
        self.shows = shows
        self.steps: list[dict[str, Any]] = []
        self._written = False

    def take(self, event: ServerSentEvent) -> None:
        if event.name == "tool.call":
            call = event.json()
            self.steps.append(call)
            if self.shows:
                note(f"→ {call['title']} {json.dumps(call['arguments'], ensure_ascii=False)}")
        elif event.name == "tool.result":
            result = event.json()
            for step in self.steps:
                if step["id"] == result["id"] and "ok" not in step:
                    step.update(result)
        if self.shows and event.name == "delta":
            self._write(event.json()["text"])
        elif self.shows and event.name == "snapshot" and not self._written:
            self._write(event.json()["answer"])
        elif self.shows and event.name == "snapshot" and not event.json()["answer"]:
            self._write("\n\n")  # the answer broke off and begins anew

    def end(self) -> None:
        if self.shows and self._written:
            self._write("\n")

    def _write(self, text: str) -> None:
        self._written = True
        typer.echo(text, nl=False)


async def _follow(client: Client, run_id: str) -> AsyncGenerator[ServerSentEvent]:
    """The run's events to its end, over as many connections as it takes."""
    last, resumes = "0", 0
    while True:
        try:
            async with client.http.stream(
                "GET", f"/api/v1/runs/{run_id}/events", headers={"Last-Event-ID": last}
            ) as response:
                if not response.is_success:
                    await response.aread()
                    answer(response)
                async for event in read_events(response.aiter_lines()):
                    last = event.event_id or last
                    yield event
                    if event.name == "run.finished":
                        return
        except httpx.TransportError as error:
            if resumes == RESUMES:
                raise ServerUnreachable(reason=str(error)) from error
        resumes += 1
        if resumes > RESUMES:
            raise RequestFailed("The answer's stream ended before the answer did.")


def _citation(citation: dict[str, Any]) -> dict[str, Any]:
    keys = ("n", "kind", "tool", "document", "page", "section", "text", "document_id", "paragraph_id")
    return {key: citation[key] for key in keys}


def _sources(run: dict[str, Any]) -> list[str]:
    """One line for each citation."""
    if not run["citations"]:
        return []
    lines = [""]
    for citation in run["citations"]:
        place = citation["document"]
        if citation["section"]:
            place += f" › {citation['section']}"
        if citation["page"] is not None:
            place += f", p. {citation['page']}"
        lines.append(f"[{citation['n']}] {place}")
    return lines
