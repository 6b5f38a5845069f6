"""What the gateway did to get an answer, told beside it: the place in a model's queue, another model,
cuts."""

from refdesk.chat.language import Language
from refdesk.chat.recorder import RunRecorder
from refdesk.gateway import Notice

_WORDS: dict[str, tuple[str, str]] = {
    "retried": (
        "模型没有回应（{reason}），已重试。",
        "The model did not answer ({reason}) and was asked again.",
    ),
    "model-switched": (
        "模型 {from} 没有回应（{reason}），由 {to} 回答。",
        "The model {from} did not answer ({reason}); {to} did.",
    ),
    "context-truncated": (
        "资料超出模型 {model} 的长度，已截短到 {tokens} 个 token。",
        "The input was longer than {model} takes and was cut to {tokens} tokens.",
    ),
    "restarted": ("回答中断（{reason}），已重新开始。", "The answer broke off ({reason}) and began anew."),
    "limit-passed": ("已超过提醒用的额度“{limit}”。", "The limit “{limit}”, which only warns, is passed."),
}


def tell(recorder: RunRecorder, notice: Notice, language: Language) -> None:
    """Write a notice as the events it means; `restarted` takes back what was written."""
    if notice.code == "queued":
        recorder.journal.emit("queue", {"position": notice.detail["place"]})
        return
    if notice.code == "restarted":
        recorder.restart()
    words = _WORDS.get(notice.code)
    if words is not None:
        recorder.warning(notice.code, words[language == "en"].format_map(notice.detail))
