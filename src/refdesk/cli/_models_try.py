"""`refdesk models try`: one question to a model of any kind, its answer printed or written to a file."""

import asyncio
import base64
import mimetypes
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from refdesk.cli._client import Client, InvalidArgument, ServerUnreachable, answer
from refdesk.cli._commands import Result, find
from refdesk.cli._console import note

MODELS = "/api/v1/models"
ASK_AGAIN_S = 3.0
_OPEN = ("queued", "running")
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif"}


async def try_model(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the model.")],
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The question, what to say, paint or film.")
    ] = "",
    file: Annotated[
        list[Path] | None, typer.Option(help="A recording or a picture that goes along; pictures repeat.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(help="A text to score (EMBEDDING, RERANKER); repeatable.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to write sound, picture or film; else named by the model.")
    ] = None,
    voice: Annotated[str | None, typer.Option(help="Voice to speak with.")] = None,
    size: Annotated[str | None, typer.Option(help="Size of picture or film, such as 1024x1024.")] = None,
    seconds: Annotated[int | None, typer.Option(min=1, max=120, help="Length of the film.")] = None,
) -> Result:
    """Ask a model once: text in, and text, sound, picture or film out."""
    model = await find(client, MODELS, name, what="model")
    match model["kind"]:
        case "TTS":
            return await _speak(client, model, text, voice, out)
        case "TTI":
            return await _paint(client, model, text, size, out)
        case "TTV" | "ITV":
            return await _film(client, model, text, file or [], size, seconds, out)
        case _:
            return await _ask(client, model, text, file or [], against or [])


async def _ask(client: Client, model: Any, text: str, files: list[Path], texts: list[str]) -> Result:
    body: dict[str, Any] = {"text": text, "texts": texts}
    if model["kind"] == "STT":
        if len(files) != 1:
            raise InvalidArgument("Give one recording with --file.")
        kind = mimetypes.guess_type(files[0].name)[0] or "audio/wav"
        body["recording"] = {"data": _encoded(files[0]), "media_type": kind, "name": files[0].name}
    elif files:
        body["pictures"] = [_encoded(path) for path in files]
    told = await client.post(f"{MODELS}/{model['id']}/try", body)
    lines = [told["text"]] if told["text"] is not None else []
    if told["scores"] is not None:
        lines += [f"{score:.4f}  {text}" for score, text in zip(told["scores"], texts, strict=True)]
    elif told["dimensions"]:
        lines.append(f"A vector of {told['dimensions']} numbers.")
    return Result(told, lines)


async def _speak(client: Client, model: Any, text: str, voice: str | None, out: Path | None) -> Result:
    body = {"text": text, "voice": voice}
    try:
        response = await client.http.post(f"{MODELS}/{model['id']}/try/speech", json=body)
    except httpx.TransportError as error:
        raise ServerUnreachable(reason=str(error)) from error
    if not response.is_success:
        answer(response)
    kind = response.headers["content-type"]
    suffix = {"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/ogg": ".ogg"}.get(kind, ".bin")
    target = out or Path(f"{_plain(model['name'])}{suffix}")
    _write(target, response.content)
    return Result({"file": str(target), "media_type": kind, "bytes": len(response.content)}, [str(target)])


async def _paint(client: Client, model: Any, text: str, size: str | None, out: Path | None) -> Result:
    told = await client.post(f"{MODELS}/{model['id']}/try/pictures", {"prompt": text, "size": size})
    picture = told["pictures"][0]
    target = out or Path(f"{_plain(model['name'])}{_SUFFIXES.get(picture['media_type'], '.bin')}")
    data = base64.b64decode(picture["data"])
    _write(target, data)
    value = {"file": str(target), "media_type": picture["media_type"], "bytes": len(data)}
    return Result(value, [str(target)])


async def _film(
    client: Client,
    model: Any,
    text: str,
    files: list[Path],
    size: str | None,
    seconds: int | None,
    out: Path | None,
) -> Result:
    body: dict[str, Any] = {"prompt": text, "size": size, "seconds": seconds}
    if files:
        body["picture"] = _encoded(files[0])
    film = await client.post(f"{MODELS}/{model['id']}/try/film", body)
    path = f"/api/v1/model-films/{film['id']}"
    try:
        while film["stage"] in _OPEN:
            if not client.as_json:
                share = f" {film['progress']:.0%}" if film["progress"] is not None else ""
                note(f"{film['stage']}{share}")
            await asyncio.sleep(ASK_AGAIN_S)
            film = await client.get(path)
    except asyncio.CancelledError:
        await client.post(f"{path}/cancel")
        raise
    if film["stage"] != "finished":
        error: Any = film["error"]
        words = error["details"].get("vendor_message") if error else None
        words = words or film["stage"]
        return Result(film, [f"No film: {words}"], exit_code=1)
    target = out or Path(f"{_plain(model['name'])}.mp4")
    await client.download_to(f"{path}/file", target)
    return Result(film | {"file": str(target)}, [str(target)])


def _encoded(path: Path) -> str:
    try:
        return base64.b64encode(path.read_bytes()).decode()
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read.", hint=str(error)) from error


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be written.", hint=str(error)) from error


def _plain(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name)
