"""How vendors take jobs for films: where they are handed in, asked for and taken back, and what they answer.

Members may raise KeyError, TypeError or AttributeError for an answer of another form; the filmmaker makes a
`ModelBadResponse` of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from urllib.parse import quote

from refdesk.gateway.media import VideoRequest, VideoStage, VideoState
from refdesk.gateway.wires.exchanges import Field


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a dialect; `form` is sent as multipart in place of JSON."""

    path: str
    body: dict[str, Any] | None = None
    method: Literal["GET", "POST", "DELETE"] = "POST"
    headers: dict[str, str] = field(default_factory=dict[str, str])
    form: dict[str, Field] | None = None


class Dialect(Protocol):
    def submission(self, model_name: str, request: VideoRequest) -> Asked: ...

    def task(self, answer: Mapping[str, Any]) -> str:
        """The vendor's id of the job that was handed in."""
        ...

    def question(self, task: str) -> Asked: ...

    def state(self, answer: Mapping[str, Any]) -> VideoState: ...

    def withdrawal(self, task: str) -> Asked | None:
        """How a job is taken back; None where the vendor has no way."""
        ...

    def content(self, task: str, state: VideoState) -> Asked | None:
        """Where a finished film lies if not at an address of its own: the request for the film itself."""
        ...


class _ByAddress:
    """Films that lie at an address of their own, of vendors that take no job back."""

    def withdrawal(self, task: str) -> Asked | None:
        return None

    def content(self, task: str, state: VideoState) -> Asked | None:
        return None


class SiliconFlow(_ByAddress):
    STAGES: Mapping[str, VideoStage] = {
        "InQueue": "queued",
        "InProgress": "running",
        "Succeed": "finished",
        "Failed": "failed",
    }

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt}
        if request.size:
            body["image_size"] = request.size
        if request.picture is not None:
            body["image"] = request.picture.as_url
        return Asked("/video/submit", body)

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["requestId"])

    def question(self, task: str) -> Asked:
        return Asked("/video/status", {"requestId": task})

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        stage = self.STAGES[answer["status"]]
        url = answer["results"]["videos"][0]["url"] if stage == "finished" else None
        return VideoState(stage, url=url, message=answer.get("reason") or None)


class Zhipu(_ByAddress):
    STAGES: Mapping[str, VideoStage] = {"PROCESSING": "running", "SUCCESS": "finished", "FAIL": "failed"}

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt}
        if request.size:
            body["size"] = request.size
        if request.seconds is not None:
            body["duration"] = request.seconds
        if request.picture is not None:
            body["image_url"] = request.picture.as_url
        return Asked("/videos/generations", body)

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["id"])

    def question(self, task: str) -> Asked:
        return Asked(f"/async-result/{quote(task, safe='')}", method="GET")

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        stage = self.STAGES[answer["task_status"]]
        url = answer["video_result"][0]["url"] if stage == "finished" else None
        return VideoState(stage, url=url, message=answer.get("message"))


class DashScope(_ByAddress):
    STAGES: Mapping[str, VideoStage] = {
        "PENDING": "queued",
        "RUNNING": "running",
        "SUCCEEDED": "finished",
        "FAILED": "failed",
        "CANCELED": "cancelled",
        "UNKNOWN": "failed",
    }

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        wanted: dict[str, Any] = {"prompt": request.prompt}
        if request.picture is not None:
            wanted["img_url"] = request.picture.as_url
        parameters: dict[str, Any] = {}
        if request.size:
            parameters["size"] = request.size.replace("x", "*")
        if request.seconds is not None:
            parameters["duration"] = request.seconds
        body = {"model": model_name, "input": wanted, "parameters": parameters}
        path = "/services/aigc/video-generation/video-synthesis"
        return Asked(path, body, headers={"X-DashScope-Async": "enable"})

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["output"]["task_id"])

    def question(self, task: str) -> Asked:
        return Asked(f"/tasks/{quote(task, safe='')}", method="GET")

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        output = answer["output"]
        stage = self.STAGES[output["task_status"]]
        words = [str(output[name]) for name in ("code", "message") if output.get(name)]
        url = output["video_url"] if stage == "finished" else None
        return VideoState(stage, url=url, message=": ".join(words) or None)

    def withdrawal(self, task: str) -> Asked | None:
        return Asked(f"/tasks/{quote(task, safe='')}/cancel", {})


class OpenAI:
    STAGES: Mapping[str, VideoStage] = {
        "queued": "queued",
        "in_progress": "running",
        "completed": "finished",
        "failed": "failed",
    }

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt}
        if request.size:
            body["size"] = request.size
        if request.seconds is not None:
            body["seconds"] = str(request.seconds)
        picture = request.picture
        if picture is None:
            return Asked("/videos", body)
        form: dict[str, Field] = {name: (None, str(value)) for name, value in body.items()}
        suffix = picture.media_type.rpartition("/")[2]
        form["input_reference"] = (f"first.{suffix}", picture.data, picture.media_type)
        return Asked("/videos", form=form)

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["id"])

    def question(self, task: str) -> Asked:
        return Asked(f"/videos/{quote(task, safe='')}", method="GET")

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        error: dict[str, Any] = answer.get("failure") or {}
        percent = answer.get("progress")
        return VideoState(
            self.STAGES[answer["status"]],
            progress=None if percent is None else float(percent) / 100,
            message=": ".join(str(error[name]) for name in ("code", "message") if error.get(name)) or None,
        )

    def withdrawal(self, task: str) -> Asked | None:
        return Asked(f"/videos/{quote(task, safe='')}", method="DELETE")

    def content(self, task: str, state: VideoState) -> Asked | None:
        return Asked(f"/videos/{quote(task, safe='')}/content", method="GET")


class Volcengine(_ByAddress):
    STAGES: Mapping[str, VideoStage] = {
        "queued": "queued",
        "running": "running",
        "succeeded": "finished",
        "failed": "failed",
        "cancelled": "cancelled",
        "expired": "failed",
    }

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        # Options are written into the text, as the vendor has it.
        text = request.prompt
        if request.size:
            text += f" --resolution {request.size}"
        if request.seconds is not None:
            text += f" --duration {request.seconds}"
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if request.picture is not None:
            content.append({"type": "image_url", "image_url": {"url": request.picture.as_url}})
        return Asked("/contents/generations/tasks", {"model": model_name, "content": content})

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["id"])

    def question(self, task: str) -> Asked:
        return Asked(f"/contents/generations/tasks/{quote(task, safe='')}", method="GET")

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        stage = self.STAGES[answer["status"]]
        error: dict[str, Any] = answer.get("failure") or {}
        return VideoState(
            stage,
            url=answer["content"]["video_url"] if stage == "finished" else None,
            message=": ".join(str(error[name]) for name in ("code", "message") if error.get(name)) or None,
        )

    def withdrawal(self, task: str) -> Asked | None:
        return Asked(f"/contents/generations/tasks/{quote(task, safe='')}", method="DELETE")


class MiniMax(_ByAddress):
    STAGES: Mapping[str, VideoStage] = {
        "Preparing": "queued",
        "Queueing": "queued",
        "Processing": "running",
        "Success": "finished",
        "Fail": "failed",
    }

    def submission(self, model_name: str, request: VideoRequest) -> Asked:
        body: dict[str, Any] = {"model": model_name, "prompt": request.prompt}
        if request.size:
            body["resolution"] = request.size
        if request.seconds is not None:
            body["duration"] = request.seconds
        if request.picture is not None:
            body["first_frame_image"] = request.picture.as_url
        return Asked("/video_generation", body)

    def task(self, answer: Mapping[str, Any]) -> str:
        return str(answer["task_id"])

    def question(self, task: str) -> Asked:
        return Asked(f"/query/video_generation?task_id={quote(task, safe='')}", method="GET")

    def state(self, answer: Mapping[str, Any]) -> VideoState:
        stage = self.STAGES[answer["status"]]
        details = {"file_id": str(answer["file_id"])} if stage == "finished" else {}
        return VideoState(stage, details=details)

    def address(self, answer: Mapping[str, Any]) -> str:
        """Where a file lies that a finished job names by its id."""
        return str(answer["file"]["download_url"])

    def file(self, state: VideoState) -> Asked:
        """The question where that file lies."""
        return Asked(f"/files/retrieve?file_id={quote(state.details['file_id'], safe='')}", method="GET")


DIALECTS: dict[str, Dialect] = {
    "openai": OpenAI(),
    "siliconflow": SiliconFlow(),
    "zhipu": Zhipu(),
    "dashscope": DashScope(),
    "volcengine": Volcengine(),
    "minimax": MiniMax(),
}
