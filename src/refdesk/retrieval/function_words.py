"""Words that say how something is asked, not what: a prior for corpora too small to show it.

In a base of three paragraphs every word is rare, and a polite question would seem to match by its "请问" and
"怎么". So each query is weighed as if the corpus held some hundred ordinary texts more, in which these words
are frequent. Written here from the function words of both languages; tokens as the tokenizer makes them.
"""

from functools import lru_cache

from refdesk.knowledge.indexing import tokenize

_CHINESE = """
的 了 是 在 和 与 及 或 也 都 就 而 但 但是 不 没 没有 有 无 被 把 将 对 对于 关于 从 到 向 由 由于 以
以及 为 为了 因为 所以 如果 则 即 若 这 那 这个 那个 这些 那些 这样 那样 哪 哪个 哪些 哪里 哪儿 哪种 哪位
哪年 谁 谁的 什么 什么样 什么时候 为什么 为何 怎么 怎样 怎么办 怎么样 怎么做 如何 是否 能否 可否 可以 可
能 能够 会 要 需要 应 应该 应当 必须 想 想要 请 请问 问 一下 告诉 帮 帮我 帮忙 麻烦 谢谢 您好 你好 我
我们 你 您 你们 他 她 它 他们 她们 它们 其 之 其中 吗 呢 吧 啊 呀 嘛 么 哦 几 多少 多久 多长 多长时间
多大 几个 何 何时 何地 何种 来 去 上 下 中 里 内 外 前 后 时 时候 个 些 种 次 还 还是 还有 又 再 更 最 很
太 非常 比较 只 只有 已 已经 曾 正在 着 过 地 得 给 让 使 用 使用 进行 通过 根据 按照 有关 相关 方面 情况
问题 事情 东西 介绍 说明 解释 知道 具体 主要 一个 一些 一种 一 这种 那种 该 此 每 各 某 所 等 等等 而且
并 并且 并不 然后 以后 之后 之前 叫 叫做 称为 属于 认为 意思
"""
_ENGLISH = """
a an the of to in on at by for from with without about into over under between among and or but nor so if
then than that this these those there here it its it's he she they them their theirs his her hers we us
our ours you your yours i me my mine who whom whose which what when where why how is are was were be been
being am do does did doing done have has had having can could may might must shall should will would not
no yes as also just only very more most much many some any all each every both few other another such
same own too again please tell show give explain describe want need know help find get let thanks hello
hi one ones up down out off through during before after while because until since per via like does't
don't doesn't isn't aren't wasn't can't won't mean happen way thing kind
"""

BACKGROUND_ENTRIES = 500
"""Size of the imagined corpus. Besides making small bases sane it ranks better: nDCG@10 of words alone on
four sets without it, with 200, with 1,000: .748/.759/.760, .796/.811/.820, .605/.608/.612, .588/.594/.593."""

_FREQUENT_SHARE = 0.5


@lru_cache(maxsize=1)
def _function_tokens() -> frozenset[str]:
    return frozenset(token for word in f"{_CHINESE} {_ENGLISH}".split() for token in (word, *tokenize(word)))


def background_frequency(token: str) -> float:
    """In how many of the `BACKGROUND_ENTRIES` the token is taken to occur."""
    return BACKGROUND_ENTRIES * _FREQUENT_SHARE if token in _function_tokens() else 0.0
