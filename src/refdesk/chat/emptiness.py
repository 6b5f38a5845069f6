"""The words of an answer that found nothing: that it is so, and why."""

from refdesk.chat.language import Language
from refdesk.retrieval import GateName, SearchResult

DEFAULT_REPLIES: dict[Language, str] = {
    "zh": "本地知识库中未找到相关内容",
    "en": "Nothing relevant was found in the knowledge base",
}

NOTHING: dict[Language, str] = {
    "zh": "没有可用的资料或工具结果。",
    "en": "There was no document and no result of a tool to answer from.",
}

_WHY_ZH: dict[GateName, str] = {
    "absolute": "最接近的内容相似度为 {score:.2f}，低于阈值 {threshold:.2f}（共比较 {below} 个段落）。",
    "rerank": "{below} 个段落相似度足够，但重排分数最高为 {score:.3g}，低于下限 {threshold:.3g}。",
    "relative": "{below} 个段落的相似度最高为 {score:.2f}，与最接近的内容（{best:.2f}）相差过大，"
    "需高于 {threshold:.2f}。",
}
_WHY_EN: dict[GateName, str] = {
    "absolute": "The closest of {below} passages has a similarity of {score:.2f}, below the threshold of"
    " {threshold:.2f}.",
    "rerank": "{below} passages were similar enough, but the reranker's best score is {score:.3g}, below the"
    " least of {threshold:.3g}.",
    "relative": "The best of {below} passages has a similarity of {score:.2f}, too far below the closest"
    " ({best:.2f}); it would need more than {threshold:.2f}.",
}


def why(result: SearchResult, language: Language) -> str:
    """Why nothing counts as found, in one sentence with its full stop."""
    if result.candidates == 0:
        if language == "zh":
            return "所选知识库中没有可匹配的内容。"
        return "The chosen knowledge bases hold nothing that could match."
    if result.decision is None:
        return ""
    words = _WHY_ZH if language == "zh" else _WHY_EN
    decision = result.decision
    return words[decision.gate].format(
        score=decision.score, threshold=decision.threshold, below=decision.below, best=result.best
    )
