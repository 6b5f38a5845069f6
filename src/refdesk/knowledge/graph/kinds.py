"""The kinds of relations. A fixed few, so that rules, models and questions mean the same by them."""

KINDS: tuple[str, ...] = (
    "attribute",  # of a source: its parameter `label` has the value `target`
    "supports",
    "part_of",
    "depends_on",
    "uses",
    "connects_to",
    "replaces",
    "means",  # a code or term: what it stands for
    "causes",
    "resolved_by",
    "made_by",
    "managed_by",
    "located_in",
    "provides",
    "is_a",
    "alias",  # source and target are two names of one thing
    "related",
)
ALIAS = "alias"
ATTRIBUTE = "attribute"

ENTITY_KINDS: tuple[str, ...] = ("thing", "code", "value")

KIND_WORDS: dict[str, str] = {
    "attribute": "",
    "supports": "supports compatible 支持 兼容",
    "part_of": "part component belongs contains 属于 包含 组成 部分",
    "depends_on": "depends requires needs 依赖 需要 要求",
    "uses": "uses built based 使用 采用 基于",
    "connects_to": "connects talks 连接 接入 对接",
    "replaces": "replaces replaced supersedes 取代 替代",
    "means": "means meaning 含义 表示 意思",
    "causes": "causes cause leads 导致 引起 原因",
    "resolved_by": "solution fix remedy 解决 处理",
    "made_by": "developed manufacturer maker 研发 生产 厂商 开发",
    "managed_by": "owner maintained responsible 负责 维护 管理",
    "located_in": "located where 位于 部署 在哪",
    "provides": "provides offers 提供",
    "is_a": "kind type 种类 类型",
    "alias": "also known short 简称 又称",
    "related": "related 相关",
}
"""Words of a question that ask for a kind of relation."""
