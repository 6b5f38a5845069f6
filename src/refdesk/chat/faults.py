"""Why a tool or a model gave nothing, in the language of the answer it is told beside.

Errors and tools word their faults in a language of their own, mostly English. A warning takes those words
where they fit its sentence, else ours by the code, else the code alone.
"""

from refdesk.chat.language import Language, language_of
from refdesk.tools import ToolProblem

_NO_END = " .。!！"

_UNAVAILABLE: dict[Language, str] = {
    "zh": "工具「{name}」暂时无法使用：{reason}。",
    "en": "The tool “{name}” cannot be used at the moment: {reason}.",
}
_CODE: dict[Language, str] = {"zh": "错误码 {code}", "en": "error {code}"}
# By the code of an error or a fault. The English words are those the error brings.
CHINESE: dict[str, str] = {
    "arguments-invalid": "参数不适合该工具",
    "arguments-unusable": "参数不可用，未执行",
    "command-stopped": "命令被中止",
    "http-tool-failed": "接口没有正常应答",
    "http-status": "接口返回了错误状态",
    "limit-reached": "已达到模型调用的限额",
    "limits-unavailable": "暂时无法统计限额，未调用模型",
    "model-authentication": "供应商拒绝了密钥",
    "model-bad-response": "模型服务返回的内容不符合协议",
    "model-call-rejected": "模型的降级策略拒绝了这次调用",
    "model-context-exceeded": "请求超出模型的上下文长度",
    "model-error": "调用模型失败",
    "model-interrupted": "回答中途中断",
    "model-lacks-capability": "模型不具备所需的能力",
    "model-no-output": "模型的回答是空的",
    "model-not-found": "供应商不认识此模型或地址",
    "model-output-invalid": "模型的回答不符合它的 output_schema",
    "model-output-undeclared": "模型的回答含有 output_schema 未声明的字段",
    "model-queue-timeout": "模型繁忙，未能及时排到",
    "model-quota": "账户余额或额度不足",
    "model-rate-limited": "请求过于频繁",
    "model-refused": "供应商拒绝了请求",
    "model-result-not-fetched": "无法取得模型生成的结果",
    "model-timeout": "模型未在规定时间内响应",
    "model-unavailable": "无法连接模型的服务器",
    "model-wire-unknown": "不支持该模型厂商的接口格式",
    "not-agreed": "未经用户同意，未执行",
    "sandbox-unavailable": "本机无法隔离运行程序",
    "script-stopped": "脚本被中止",
    "tool-arguments-invalid": "参数不适合该工具",
    "tool-code-failed": "工具的代码出错",
    "tool-credential-missing": "请先填写您自己在该工具服务器的凭据",
    "tool-error": "工具报告出错",
    "tool-failed": "工具出错",
    "tool-inactive": "已被关闭",
    "tool-limit-exceeded": "超出运行限制",
    "tool-not-found": "已不存在",
    "tool-result-too-large": "返回的内容超过上限",
    "tool-server-authentication": "工具服务器不接受凭据",
    "tool-server-command-failed": "无法运行工具服务器的命令",
    "tool-server-failed": "工具服务器出错",
    "tool-server-lost": "工具服务器在调用过程中断开",
    "tool-server-no-mcp": "该地址的应答方不支持 MCP",
    "tool-server-not-found": "工具服务器已不存在",
    "tool-server-timeout": "工具服务器没有及时应答",
    "tool-server-unreachable": "无法连接工具服务器",
    "tool-timeout": "没有及时应答",
    "tool-variable-missing": "工具服务器的某个变量没有值",
    "unknown-tool": "已不存在",
}


def reason_of(code: str, message: str, language: Language) -> str:
    """The reason to put into a sentence of `language`, without a full stop."""
    said = message.strip().rstrip(_NO_END)
    if said and language_of(said) == language:
        return said
    if language == "zh" and code in CHINESE:
        return CHINESE[code]
    return _CODE[language].format(code=code)


def unavailable(problem: ToolProblem, language: Language) -> str:
    """That a tool or a tool server could not be offered."""
    reason = reason_of(problem.code, problem.message, language)
    return _UNAVAILABLE[language].format(name=problem.name, reason=reason)
