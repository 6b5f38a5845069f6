"""Stage `empty`: nothing relevant was found, and the answer says so instead of guessing."""

from refdesk.chat.context import RunContext
from refdesk.chat.language import Language
from refdesk.retrieval import SearchResult

DEFAULT_REPLIES: dict[Language, str] = {
    "zh": "本地知识库中未找到相关内容",
    "en": "Nothing relevant was found in the knowledge base",
}


async def reply_empty(context: RunContext, result: SearchResult) -> None:
    """Write the configured reply, or the built-in one with the reason; the reason is a warning as well."""
    async with context.recorder.stage("empty") as detail:
        detail |= {"best": round(result.best, 4), "threshold": result.threshold}
        reason = why(result, context.language)
        context.recorder.warning("nothing-found", reason)
        configured = context.profile.empty_reply
        if configured:
            context.recorder.delta(configured)
        elif context.language == "zh":
            context.recorder.delta(f"{DEFAULT_REPLIES['zh']}。{reason}")
        else:
            context.recorder.delta(f"{DEFAULT_REPLIES['en']}. {reason}")


def why(result: SearchResult, language: Language) -> str:
    """Why nothing counts as found, in one sentence with its full stop."""
    if result.candidates == 0:
        if language == "zh":
            return "所选知识库中没有可匹配的内容。"
        return "The chosen knowledge bases hold nothing that could match."
    best, threshold = f"{result.best:.2f}", f"{result.threshold:.2f}"
    if language == "zh":
        return f"最接近的内容相似度为 {best}，低于阈值 {threshold}。"
    return f"The closest passage has a similarity of {best}, below the threshold of {threshold}."
