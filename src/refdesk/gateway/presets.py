"""Addresses of vendors and local servers that speak the OpenAI-compatible wire, or rerank.

Example model names only fill the form's hint; what a vendor offers is asked from its own list.
"""

from refdesk.gateway.schemas import Kind, Preset

_KINDS: tuple[Kind, ...] = ("LLM", "EMBEDDING", "RERANKER")

PRESETS: tuple[Preset, ...] = tuple(
    Preset(
        id=preset_id,
        name=name,
        base_url=base_url,
        needs_key=needs_key,
        kinds=[kind for kind, model in zip(_KINDS, (chat, embedding, reranker), strict=True) if model],
        example_models={
            kind: model for kind, model in zip(_KINDS, (chat, embedding, reranker), strict=True) if model
        },
    )
    for preset_id, name, base_url, needs_key, chat, embedding, reranker in (
        ("openai", "OpenAI", "https://api.openai.com/v1", True, "gpt-4o-mini", "text-embedding-3-small", ""),
        ("deepseek", "DeepSeek", "https://api.deepseek.com/v1", True, "deepseek-chat", "", ""),
        (
            "bailian",
            "阿里云百炼 (Qwen)",
            "https://dashscope.aliyuncs.com/compatible-mode/v1",
            True,
            "qwen-plus",
            "text-embedding-v4",
            "",
        ),
        (
            "zhipu",
            "智谱 (GLM)",
            "https://open.bigmodel.cn/api/paas/v4",
            True,
            "glm-4-flash",
            "embedding-3",
            "",
        ),
        ("moonshot", "Moonshot (Kimi)", "https://api.moonshot.cn/v1", True, "moonshot-v1-8k", "", ""),
        (
            "volcengine",
            "火山方舟 (Doubao)",
            "https://ark.cn-beijing.volces.com/api/v3",
            True,
            "doubao-pro-32k",
            "doubao-embedding",
            "",
        ),
        (
            "siliconflow",
            "SiliconFlow 硅基流动",
            "https://api.siliconflow.cn/v1",
            True,
            "Qwen/Qwen2.5-7B-Instruct",
            "BAAI/bge-m3",
            "BAAI/bge-reranker-v2-m3",
        ),
        (
            "hunyuan",
            "腾讯混元",
            "https://api.hunyuan.cloud.tencent.com/v1",
            True,
            "hunyuan-turbos-latest",
            "",
            "",
        ),
        (
            "qianfan",
            "百度千帆",
            "https://qianfan.baidubce.com/v2",
            True,
            "ernie-4.0-turbo-8k",
            "bge-large-zh",
            "",
        ),
        ("minimax", "MiniMax", "https://api.minimaxi.com/v1", True, "MiniMax-Text-01", "", ""),
        (
            "mistral",
            "Mistral",
            "https://api.mistral.ai/v1",
            True,
            "mistral-small-latest",
            "mistral-embed",
            "",
        ),
        ("groq", "Groq", "https://api.groq.com/openai/v1", True, "llama-3.3-70b-versatile", "", ""),
        ("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", True, "openai/gpt-4o-mini", "", ""),
        ("ollama", "Ollama", "http://127.0.0.1:11434/v1", False, "qwen2.5", "bge-m3", ""),
        (
            "vllm",
            "vLLM",
            "http://127.0.0.1:8000/v1",
            False,
            "Qwen/Qwen2.5-7B-Instruct",
            "BAAI/bge-m3",
            "BAAI/bge-reranker-v2-m3",
        ),
        ("lm-studio", "LM Studio", "http://127.0.0.1:1234/v1", False, "qwen2.5-7b-instruct", "bge-m3", ""),
        (
            "xinference",
            "Xinference",
            "http://127.0.0.1:9997/v1",
            False,
            "qwen2.5-instruct",
            "bge-m3",
            "bge-reranker-v2-m3",
        ),
        ("cohere", "Cohere", "https://api.cohere.com/v2", True, "", "", "rerank-v3.5"),
        (
            "jina",
            "Jina AI",
            "https://api.jina.ai/v1",
            True,
            "",
            "jina-embeddings-v3",
            "jina-reranker-v2-base-multilingual",
        ),
        (
            "tei",
            "Text Embeddings Inference",
            "http://127.0.0.1:8080",
            False,
            "",
            "",
            "BAAI/bge-reranker-v2-m3",
        ),
    )
)
