"""How vendors want to be asked for pictures, and where in their answers the pictures are.

OpenAI's `/images/generations` and its many likes; SiliconFlow with names of its own on the same path; Zhipu,
which makes one picture a call; MiniMax; DashScope, which gives a job that is asked for until it is done.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from refdesk.gateway.errors import ModelBadResponse
from refdesk.gateway.media import PictureRequest


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a dialect."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict[str, str])


class Dialect(Protocol):
    def asked(self, model_name: str, request: PictureRequest) -> Asked: ...

    def found(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The pictures of an answer, each with `b64_json` or `url`. May raise KeyError or TypeError."""
        ...

    def job(self, answer: Mapping[str, Any]) -> str | None:
        """The path to ask again at where the answer is a job that still runs."""
        ...


class OpenAI:
    def asked(self, model_name: str, request: PictureRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt, "n": request.count}
        if request.size:
            body["size"] = request.size
        if request.seed is not None:
            body["seed"] = request.seed
        return Asked("/images/generations", body)

    def found(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(answer["data"])

    def job(self, answer: Mapping[str, Any]) -> str | None:
        return None


class Zhipu(OpenAI):
    def asked(self, model_name: str, request: PictureRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt}
        if request.size:
            body["size"] = request.size
        return Asked("/images/generations", body)


class SiliconFlow(OpenAI):
    def asked(self, model_name: str, request: PictureRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt, "batch_size": request.count}
        if request.size:
            body["image_size"] = request.size
        if request.negative_prompt:
            body["negative_prompt"] = request.negative_prompt
        if request.seed is not None:
            body["seed"] = request.seed
        return Asked("/images/generations", body)

    def found(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(answer.get("images") or answer["data"])


class MiniMax:
    def asked(self, model_name: str, request: PictureRequest) -> Asked:
        body: dict[str, Any] = {
            "model": model_name,
            "prompt": request.prompt,
            "n": request.count,
            "response_format": "base64",
        }
        width, cross, height = (request.size or "").partition("x")
        if cross and width.isdecimal() and height.isdecimal():
            body |= {"width": int(width), "height": int(height)}
        if request.seed is not None:
            body["seed"] = request.seed
        return Asked("/image_generation", body)

    def found(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        data = cast("dict[str, Any]", answer["data"])
        return [{"b64_json": one} for one in data.get("image_base64") or ()] + [
            {"url": one} for one in data.get("image_urls") or ()
        ]

    def job(self, answer: Mapping[str, Any]) -> str | None:
        return None


class DashScope:
    def asked(self, model_name: str, request: PictureRequest) -> Asked:
        wanted: dict[str, Any] = {"prompt": request.prompt}
        if request.negative_prompt:
            wanted["negative_prompt"] = request.negative_prompt
        parameters: dict[str, Any] = {"n": request.count}
        if request.size:
            parameters["size"] = request.size.replace("x", "*")
        if request.seed is not None:
            parameters["seed"] = request.seed
        body = {"model": model_name, "input": wanted, "parameters": parameters}
        path = "/services/aigc/text2image/image-synthesis"
        return Asked(path, body, {"X-DashScope-Async": "enable"})

    def found(self, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(answer["output"]["results"])

    def job(self, answer: Mapping[str, Any]) -> str | None:
        output = answer["output"]
        match output["task_status"]:
            case "PENDING" | "RUNNING":
                return f"/tasks/{output['task_id']}"
            case "SUCCEEDED":
                return None
            case status:
                raise JobFailed(f"{output.get('code') or status}: {output.get('message') or ''}".strip(": "))


class JobFailed(ModelBadResponse):
    """The vendor's job for a picture ended without one; the message is the vendor's."""


DIALECTS: dict[str, Dialect] = {
    "openai": OpenAI(),
    "zhipu": Zhipu(),
    "siliconflow": SiliconFlow(),
    "minimax": MiniMax(),
    "dashscope": DashScope(),
}
