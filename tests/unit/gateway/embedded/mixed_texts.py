"""Chinese, English and mixed texts with the oddities that tokenizers trip over."""

TEXTS = [
    "The quick brown fox jumps over the lazy dog.",
    "Embeddings map text to vectors; similar meanings lie close together (0.93 vs. 0.71).",
    "年假可以跨年使用吗？员工当年未休完的年假最多可结转五天至次年。",
    "路由器恢复出厂设置：按住 RESET 孔约10秒，管理地址为 192.168.1.1。",
    "错误码 ERR-1042 在 v2.3.1 中出现，CrashLoopBackOff 之后 Pod 会重启。",
    "臺灣的捷運系統在一九九六年通車，木柵線是第一條路線。",
    "Ｆｕｌｌ－ｗｉｄｔｈ ｔｅｘｔ，①②③ and ㎏ ﬁne ½ ™",
    "emoji 😀😃 and flags 🇨🇳, combining é vs é, zero​width",
    "tabs\tand\nnew lines   and     many spaces　ideographic ",
    "def f(x: int) -> str:\n    return f'{x!r}'  # コメント",
    "Größe, naïve, Łódź, Ελληνικά, Русский текст, עברית, العربية, हिन्दी, ไทย, 한국어, 日本語",
    "http://example.org/a/b?c=d&e=%20f#g user@example.org +86 138-0013-8000",
    "合同第12.3条：违约金为合同总价的0.5%/周，最高不超过5%。",
    "!!! ??? ... ,,, ;;; ((( ))) <s> </s> <mask>",
    " leading and trailing ",
    "",
    "a",
    "𠮷野家の牛丼は𠀋から",
]
