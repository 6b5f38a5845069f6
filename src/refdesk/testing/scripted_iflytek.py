"""A server that speaks iFlytek's dictation and synthesis over WebSockets, as their documentation says.

It checks what the vendor checks: the signature of the address and its date, the application's id, the order
and form of the frames. What it heard and was asked to say is in `sessions`.
Sources: https://www.xfyun.cn/doc/asr/voicedictation/API.html, https://www.xfyun.cn/doc/tts/online_tts/API.html
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, cast

import orjson
from aiohttp import WSMsgType, web

MAX_SKEW_S = 300
MAX_FRAME_BYTES = 13_000
MAX_TEXT_BYTES = 8_000
_MEMBERS = re.compile(r'(\w+)="([^"]*)"')
_SUCCESS = {"code": 0, "message": "success", "sid": "iat000"}


class _Wrong(Exception):
    """A code of the vendor's list and its words."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass
class Heard:
    """One session: its settings, and the sound or the text that came."""

    path: str
    business: dict[str, Any]
    encoding: str = ""
    format: str = ""
    frames: int = 0
    data: bytes = b""


@dataclass
class ScriptedIflytek:
    """`words` are what it hears, a result each; `sound` is what it says. `refuses` answers the first frame
    with that code and message; `leaves_after` closes after that many frames; `silent` answers nothing.
    `left` is set once a session has ended."""

    app_id: str = "5e0d1c2b"
    api_key: str = "0123456789abcdef0123456789abcdef"
    api_secret: str = "MDEyMzQ1Njc4OWFiY2RlZg"
    words: tuple[str, ...] = ("今天", "天气怎么样", "？")
    replaces: tuple[int, int, str] | None = None
    sound: bytes = b"ID3" + bytes(range(256)) * 8
    refuses: tuple[int, str] | None = None
    leaves_after: int | None = None
    silent: bool = False
    sessions: list[Heard] = field(default_factory=lambda: list[Heard]())
    left: asyncio.Event = field(default_factory=asyncio.Event)
    base_url: str = ""

    @property
    def key(self) -> str:
        """The key as it is entered."""
        return f"{self.app_id}:{self.api_key}:{self.api_secret}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        if (refusal := self._unsigned(request)) is not None:
            status, message = refusal
            return web.json_response({"message": message}, status=status)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        talk = self._listen if request.path.endswith("/iat") else self._speak
        try:
            await talk(request.path, socket)
        except _Wrong as wrong:
            await _tell(socket, {"code": wrong.code, "message": wrong.message, "sid": "iat000"})
        finally:
            self.left.set()
        await socket.close()
        return socket

    def _unsigned(self, request: web.Request) -> tuple[int, str] | None:
        query = request.query
        try:
            authorization = base64.b64decode(query["authorization"], validate=True).decode()
            told = dict(_MEMBERS.findall(authorization))
            date, host = query["date"], query["host"]
        except (KeyError, ValueError):
            return 401, "HMAC signature cannot be verified: fail to retrieve credential"
        if told.get("algorithm") != "hmac-sha256" or told.get("headers") != "host date request-line":
            return 401, "HMAC signature cannot be verified"
        try:
            skew_s = abs(parsedate_to_datetime(date).timestamp() - time.time())
        except ValueError:
            skew_s = MAX_SKEW_S + 1.0
        if skew_s > MAX_SKEW_S or not date.endswith(" GMT"):
            return 403, (
                "HMAC signature cannot be verified, a valid date or x-date header is required for HMAC"
                " Authentication"
            )
        if told.get("api_key") != self.api_key:
            return 401, "HMAC signature cannot be verified: fail to retrieve credential"
        lines = f"host: {host}\ndate: {date}\nGET {request.path} HTTP/1.1"
        proof = hmac.new(self.api_secret.encode(), lines.encode(), hashlib.sha256).digest()
        if host != request.host or told.get("signature") != base64.b64encode(proof).decode():
            return 401, "HMAC signature does not match"
        return None

    async def _listen(self, path: str, socket: web.WebSocketResponse) -> None:
        heard: Heard | None = None
        async for frame in _frames(socket):
            data = _member(frame, "data")
            if heard is None:
                heard = self._begun(path, frame, ("language", "domain"))
                if data.get("status") != 0:
                    raise _Wrong(10165, "invalid handle")
                heard.encoding, heard.format = data.get("encoding", ""), data.get("format", "")
            audio = _decoded(data.get("audio", ""))
            if len(audio) > MAX_FRAME_BYTES:
                raise _Wrong(10163, "param validate error: audio is too long")
            heard.frames += 1
            heard.data += audio
            if self.leaves_after is not None and heard.frames >= self.leaves_after:
                return
            if data.get("status") == 2 and not self.silent:
                break
        await self._results(socket)

    async def _results(self, socket: web.WebSocketResponse) -> None:
        results = [_result(number, word) for number, word in enumerate(self.words, 1)]
        if self.replaces is not None:
            first, last, word = self.replaces
            results.append(_result(len(results) + 1, word) | {"pgs": "rpl", "rg": [first, last]})
        for result in results:
            await _tell(socket, _SUCCESS | {"data": {"status": 1, "result": result}})
        last_one = _result(len(results) + 1, "") | {"ls": True}
        await _tell(socket, _SUCCESS | {"data": {"status": 2, "result": last_one}})

    async def _speak(self, path: str, socket: web.WebSocketResponse) -> None:
        async for frame in _frames(socket):
            heard = self._begun(path, frame, ("aue", "vcn"))
            data = _member(frame, "data")
            if data.get("status") != 2:
                raise _Wrong(10163, "param validate error: data.status must be 2")
            heard.data = _decoded(data.get("text", ""))
            if not heard.data or len(heard.data) > MAX_TEXT_BYTES:
                raise _Wrong(10109, "text is empty or longer than 8000 bytes")
            break
        cut = len(self.sound) // 2
        for number, part in enumerate((self.sound[:cut], self.sound[cut:])):
            if self.leaves_after is not None and number >= self.leaves_after:
                return
            audio = base64.b64encode(part).decode()
            await _tell(
                socket, _SUCCESS | {"data": {"audio": audio, "ced": str(number), "status": 1 + number}}
            )

    def _begun(self, path: str, frame: dict[str, Any], needed: tuple[str, ...]) -> Heard:
        if self.refuses is not None:
            raise _Wrong(*self.refuses)
        if _member(frame, "common").get("app_id") != self.app_id:
            raise _Wrong(10313, "invalid appid")
        business = _member(frame, "business")
        for name in needed:
            if not business.get(name):
                raise _Wrong(10163, f"param validate error: /business/{name} is required")
        heard = Heard(path, business)
        self.sessions.append(heard)
        return heard


def _member(frame: dict[str, Any], name: str) -> dict[str, Any]:
    value = frame.get(name)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def _frames(socket: web.WebSocketResponse) -> AsyncIterator[dict[str, Any]]:
    async for message in socket:
        if message.type != WSMsgType.TEXT:
            raise _Wrong(10160, "parse request json error")
        try:
            yield orjson.loads(message.data)
        except ValueError as error:
            raise _Wrong(10160, "parse request json error") from error


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _Wrong(10161, "parse base64 string error") from error


def _result(number: int, word: str) -> dict[str, Any]:
    return {"sn": number, "ls": False, "bg": 0, "ed": 0, "ws": [{"bg": 0, "cw": [{"sc": 0, "w": word}]}]}


async def _tell(socket: web.WebSocketResponse, message: dict[str, Any]) -> None:
    if not socket.closed:
        await socket.send_str(orjson.dumps(message).decode())


@asynccontextmanager
async def scripted_iflytek() -> AsyncGenerator[ScriptedIflytek]:
    """A server on a free port of this machine."""
    server = ScriptedIflytek()
    application = web.Application()
    application.router.add_get("/v2/iat", server.serve)
    application.router.add_get("/v2/tts", server.serve)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        [address] = runner.addresses
        server.base_url = f"http://127.0.0.1:{address[1]}/v2"
        yield server
    finally:
        await runner.cleanup()
