"""Replies of servers for speech, pictures and video, for `scripted_model`: every dialect our wires speak.

Well-behaved ones, over real sockets: what they heard, made or were asked to film is in the server's
`requests`. What goes wrong is scripted with the replies of `scripted_model`, before them or by `by_path`.
"""

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import orjson

from refdesk.testing.scripted_http import Reply, Request, Send, body, streamed

SOUND = b"ID3" + bytes(range(256)) * 8
"""What scripted voices say: no real MP3, but nobody here listens."""
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
FILM = b"\0\0\0\x18ftypmp42" + b"\0" * 5000

_NOT_FOUND = body({"error": {"message": "Not Found"}}, status=404)

type Dialect = Literal["openai", "siliconflow", "zhipu", "dashscope", "volcengine", "minimax"]


def by_path(replies: Mapping[str, Reply]) -> Reply:
    """The reply of the first path that the request's begins or ends with; 404 elsewhere."""

    async def reply(request: Request, send: Send) -> None:
        path = request.path.partition("?")[0]
        for name, chosen in replies.items():
            if path.endswith(name) or name in path:
                await chosen(request, send)
                return
        await _NOT_FOUND(request, send)

    return reply


def file(data: bytes, media_type: str) -> Reply:
    """A file as it lies on a vendor's storage."""
    return body(data, content_type=media_type)


def transcribes(text: str, dialect: Literal["openai", "dashscope"] = "openai") -> Reply:
    """A server that hears `text` in every recording."""
    if dialect == "openai":
        return body({"text": text, "usage": {"type": "duration", "seconds": 3}})
    message = {"content": [{"text": text}], "annotations": [{"language": "zh", "type": "audio_info"}]}
    return body({"output": {"choices": [{"message": message}]}, "usage": {"seconds": 3}})


def speaks(dialect: Literal["openai", "minimax", "dashscope", "volcengine"] = "openai") -> Reply:
    """A server that says `SOUND` to every text."""
    match dialect:
        case "openai":
            return body(SOUND, content_type="audio/mpeg")
        case "minimax":
            cut = len(SOUND) // 2
            parts = [{"data": {"audio": part.hex(), "status": 1}} for part in (SOUND[:cut], SOUND[cut:])]
            whole = {"data": {"audio": SOUND.hex(), "status": 2}, "base_resp": {"status_code": 0}}
            return streamed([b"data: " + orjson.dumps(event) + b"\n\n" for event in (*parts, whole)])
        case "dashscope":
            return by_path({"/generation": _pointing("output.audio.url"), "/file": file(SOUND, "audio/wav")})
        case "volcengine":
            return body({"code": 3000, "message": "Success", "data": base64.b64encode(SOUND).decode()})


def paints(dialect: Dialect = "openai", *, inline: bool = True) -> Reply:
    """A server that makes `PICTURE` of every prompt: within its answer, or at an address of its own."""
    encoded = base64.b64encode(PICTURE).decode()
    stored = {"/file": file(PICTURE, "image/png")}
    match dialect:
        case "openai" if inline:
            return body({"created": 1, "data": [{"b64_json": encoded}]})
        case "openai" | "zhipu" | "volcengine":
            return by_path({"/images/generations": _pointing("data.0.url"), **stored})
        case "siliconflow":
            return by_path({"/images/generations": _pointing("images.0.url"), **stored})
        case "minimax":
            return body({"data": {"image_base64": [encoded]}, "base_resp": {"status_code": 0}})
        case "dashscope":
            done = _pointing(
                "output.results.0.url", {"output": {"task_id": "t-1", "task_status": "SUCCEEDED"}}
            )
            waiting = body({"output": {"task_id": "t-1", "task_status": "RUNNING"}})
            return by_path({"/image-synthesis": waiting, "/tasks/t-1": done, **stored})


def media_reply(request: Request) -> Reply | None:
    """What a well-behaved server of OpenAI's answers without a script; None for what is not of media."""
    path = request.path.partition("?")[0]
    if path.endswith("/audio/transcriptions"):
        return transcribes("Good morning")
    if path.endswith("/audio/speech"):
        return speaks()
    if path.endswith("/images/generations"):
        return paints()
    if "/videos" in path:
        return FilmStudio("openai", asked=2)
    return None


_STAGES: dict[Dialect, tuple[str, str, str]] = {
    "openai": ("queued", "in_progress", "completed"),
    "siliconflow": ("InQueue", "InProgress", "Succeed"),
    "zhipu": ("PROCESSING", "PROCESSING", "SUCCESS"),
    "dashscope": ("PENDING", "RUNNING", "SUCCEEDED"),
    "volcengine": ("queued", "running", "succeeded"),
    "minimax": ("Queueing", "Processing", "Success"),
}


@dataclass
class FilmStudio:
    """A server that films, as a reply: the job waits, runs for `rounds` questions, and gives `FILM`."""

    dialect: Dialect
    rounds: int = 1
    asked: int = 0
    withdrawn: list[str] = field(default_factory=list[str])

    async def __call__(self, request: Request, send: Send) -> None:
        await self._chosen(request)(request, send)

    def _chosen(self, request: Request) -> Reply:
        path = request.path
        if path.endswith(("/file", "/content")):
            return file(FILM, "video/mp4")
        if request.method == "DELETE" or path.endswith("/cancel"):
            self.withdrawn.append(path)
            return body({"id": "job-1", "deleted": True})
        if "/files/retrieve" in path:
            return _pointing("file.download_url")
        if self._is_question(request):
            self.asked += 1
            queued, running, done = _STAGES[self.dialect]
            if self.asked > self.rounds + 1:
                return self._told(done, finished=True)
            return self._told(queued if self.asked == 1 else running, finished=False)
        return body(self._taken())

    def _is_question(self, request: Request) -> bool:
        return request.method == "GET" or request.path.endswith("/video/status")

    def _taken(self) -> dict[str, Any]:
        match self.dialect:
            case "siliconflow":
                return {"requestId": "job-1"}
            case "dashscope":
                return {"output": {"task_id": "job-1", "task_status": "PENDING"}, "request_id": "r"}
            case "minimax":
                return {"task_id": "job-1", "base_resp": {"status_code": 0, "status_msg": "success"}}
            case "zhipu":
                return {"id": "job-1", "request_id": "r", "model": "m", "task_status": "PROCESSING"}
            case _:
                return {"id": "job-1", "status": "queued"}

    def _told(self, stage: str, *, finished: bool) -> Reply:
        match self.dialect:
            case "siliconflow":
                told, place = {"status": stage}, "results.videos.0.url"
            case "dashscope":
                told, place = {"output": {"task_id": "job-1", "task_status": stage}}, "output.video_url"
            case "zhipu":
                told, place = {"task_status": stage}, "video_result.0.url"
            case "volcengine":
                told, place = {"id": "job-1", "status": stage}, "content.video_url"
            case "minimax":
                named = {"file_id": "f-1"} if finished else {}
                return body({"task_id": "job-1", "status": stage, "base_resp": {"status_code": 0}} | named)
            case "openai":
                return body({"id": "job-1", "status": stage, "progress": 100 if finished else 40})
        return _pointing(place, told) if finished else body(told)


def _pointing(place: str, told: Mapping[str, Any] | None = None) -> Reply:
    """An answer that names this server's own `/file` at `place` (members and indexes, with dots)."""

    async def reply(request: Request, send: Send) -> None:
        address = f"http://{request.headers['host']}/file"
        content: dict[str, Any] = {}
        _put(content, iter(place.split(".")), address)
        await body(_merged(dict(told or {}), content))(request, send)

    return reply


def _put(into: dict[str, Any], names: Iterator[str], value: str) -> None:
    name = next(names)
    rest = list(names)
    if not rest:
        into[name] = value
    elif rest[0] == "0":
        inner: dict[str, Any] = {}
        into[name] = [inner]
        _put(inner, iter(rest[1:]), value)
    else:
        inner = {}
        into[name] = inner
        _put(inner, iter(rest), value)


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, value in above.items():
        under: Any = merged.get(name)
        both = isinstance(under, dict) and isinstance(value, dict)
        merged[name] = (
            _merged(cast("dict[str, Any]", under), cast("dict[str, Any]", value)) if both else value
        )
    return merged


def fields_of(request: Request) -> dict[str, bytes]:
    """The fields of a multipart request, by name."""
    boundary = request.headers["content-type"].partition("boundary=")[2].strip('"').encode()
    found: dict[str, bytes] = {}
    for part in bytes(request.body).split(b"--" + boundary)[1:-1]:
        head, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
        name = head.partition(b'name="')[2].partition(b'"')[0].decode()
        found[name] = content
    return found
