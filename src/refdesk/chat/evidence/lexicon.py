"""Words the evidence check must know: what carries no content, what means the same, what means the opposite.

General language only, no words of any subject. Keys are as `words` makes them: English stemmed, Chinese as
the segmenter cuts it.
"""

from collections.abc import Iterable
from typing import Any, cast

from Stemmer import Stemmer  # pyright: ignore[reportUnknownVariableType]

_stemmer = cast("Any", Stemmer("english"))
_stemmer.maxCacheSize = 0


def stem(word: str) -> str:
    stemmed: str = _stemmer.stemWord(word.casefold())
    return stemmed


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_EN = _stems(
    "a an the and or but if then than that this these those there here it its they them their he "
    "she his her we our you your i my me is are was were be been being am do does did done has "
    "have had having will would shall should can could may might must of to in on at by for with "
    "from as into onto over under after before about between within during per so such also too "
    "very just only even still now already when where which who whom whose what how why while "
    "because both each every all any some most more less other another same own up down out off "
    "again one not no nor never cannot without neither don't doesn't didn't isn't aren't can't "
    "won't n't yes s t need according source document section manual guide said say state"
)
LIGHT_EN = _stems(
    "make get go give take keep put use let mean become come see find know allow enable support "
    "provide include contain apply require happen run work set show long new current available "
    "back many much first least far amount kind way thing case time place total certain own turn "
    "start begin possible able well large small"
)
LIGHT_ZH = _words(
    "是 为 有 无 在 可 可以 能 能够 会 应 应该 应当 须 必须 需 需要 要 让 使 将 把 被 由 从 对 "
    "向 进行 属于 位于 设 设在 提供 包括 包含 通过 使用 用 采用 利用 具有 拥有 配备 装有 导致 "
    "造成 引起 成为 作为 得 请 自己 自行 系统 目前 现有 现在 相关 规定 情况 方式 之后 之前 之内 "
    "以内 以后 时 时候 期间 如果 若 如 当 即 都 均 也 还 还是 并 并且 而 和 与 及 以及 或 或者 "
    "则 但 但是 不过 最多 至多 上限 最大 最高 达 达到 共 共有 总共 其 其中 该 此 这 那 它 它们 "
    "他 她 们 的 地 了 着 过 后 前 内 中 上 下 里 来 去 到 就 才 又 再 每 各 些 种 个 一个 一些 "
    "一般 通常 常见 主要 立即 马上 立刻 时间 期限 必要 带上 携带 工作 整个 全部 自动 应先 首先 "
    "先 同时 此外 另外"
)

_SAME_ZH = (
    "成立 创立 创办 创建",
    "设立 建立 建 设 开设",
    "查看 看 检查 查询",
    "享有 享受 休 拥有",
    "批准 审批 同意 核准",
    "提高 增加 增大 提升 调高",
    "降低 减少 减小 调低",
    "断开 中断 断连",
    "失效 过期 作废 到期",
    "有效期 有效 期限 失效",
    "返回 回来 归来",
    "喝酒 饮酒",
    "吃药 服药 用药",
    "服用 服 吃 口服",
    "每天 每日 日",
    "每晚 晚",
    "拆机 拆开 拆卸 拆",
    "就医 医生 看病",
    "保修 保修期 质保",
    "出差 差旅",
    "提交 递交 上交",
    "费用 花费 费",
    "报销 报销单",
    "开具 出具 提供",
    "员工 职工 人员 职员",
    "入职 工作",
    "超过 超出 高于 大于",
    "低于 小于 少于 不足",
    "原因 因为 由于",
    "请求 调用",
    "调用 访问",
    "创始人 创办人",
    "购买 收购 买",
    "机器 整机 设备",
    "常 常见 通常",
    "总部 总公司",
    "乘坐 坐",
    "支付 付款 缴纳",
    "删除 移除 去掉",
    "修改 更改 变更 调整",
    "开启 启用 打开",
    "关闭 停用 禁用",
    "结转 转到 顺延",
    "申请 请",
    "住宿 住",
    "部署 安装",
    "配置 设置",
    "失败 出错 错误",
    "解决 处理",
)
_SAME_EN = (
    "buy purchase acquire acquired bought paid pay",
    "found founded establish start",
    "return returned give",
    "refund refunded refundable",
    "borrow lend loan",
    "reset restore",
    "find locate printed",
    "underneath under below",
    "label sticker",
    "minimum oldest lowest least earliest",
    "maximum most highest largest",
    "larger longer above exceed more over",
    "nightly night",
    "daily day",
    "weekly week",
    "yearly annual annually year",
    "start begin launch",
    "end stop finish",
    "remove delete drop",
    "fix work repair solve",
    "add introduce",
    "need require must",
    "cost fine fee price",
    "role permission right",
    "happen occur place",
    "connect connection",
    "online connected",
    "undergraduate undergraduates",
    "back original",
    "big large",
    "fast quick",
    "employ employee staff",
    "chief executive ceo",
    "safe safely",
    "issue problem bug",
    "change modify edit",
    "allow permit",
    "forbid prohibit ban",
)


def _groups(rows: Iterable[str], *, english: bool) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    offset = 10_000 if english else 0
    for number, row in enumerate(rows, offset):
        for word in row.split():
            found.setdefault(stem(word) if english else word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


SAME: dict[str, frozenset[int]] = _groups(_SAME_ZH, english=False) | _groups(_SAME_EN, english=True)

OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(a.split()), frozenset(b.split()))
    for a, b in (
        ("饭前", "饭后"),
        ("以上", "以下"),
        ("之前", "之后"),
        ("提高 增加 增大 上升", "降低 减少 减小 下降"),
        ("最大 最高 最多 上限", "最小 最低 最少 下限"),
        ("开启 启用 打开 允许", "关闭 停用 禁用 禁止"),
        ("increas rais", "decreas lower reduc"),
        ("maximum", "minimum"),
        ("enabl", "disabl"),
        ("befor", "after"),
        ("includ", "exclud"),
    )
)
