"""Settings of a process, read once from `REFDESK_*` environment variables.

Every field's description ends up in `docs/reference/settings.md` (generated; a check fails when it is
stale). What people change while the system runs lives in the database, not here.
"""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


def _default_data_dir() -> Path:
    return Path.home() / ".local" / "share" / "refdesk"


class Settings(BaseSettings):
    """All process settings. Sizes are bytes, durations seconds, unless the name says otherwise."""

    model_config = SettingsConfigDict(env_prefix="REFDESK_", extra="ignore", frozen=True)

    data_dir: Path = Field(
        default_factory=_default_data_dir,
        description="Folder of the embedded database, the secret key and the model cache.",
    )
    host: str = Field(default="127.0.0.1", description="Address the server listens on.")
    port: int = Field(default=8080, ge=0, le=65535, description="Port the server listens on.")
    database_url: SecretStr | None = Field(
        default=None,
        description="`postgresql://…` of a PostgreSQL ≥ 15 with pgvector ≥ 0.8. Empty: the embedded one.",
    )
    secret_key: SecretStr | None = Field(
        default=None,
        description="Key (32 bytes, base64) that seals stored credentials. Empty: a file in the data folder.",
    )
    former_secret_keys: SecretStr | None = Field(
        default=None,
        description="Former keys, separated by commas, that open what was sealed with them. Empty: none.",
    )
    secret_key_command: str | None = Field(
        default=None,
        description="Shell command (of a key service, a vault) that prints the secret key, then former ones.",
    )
    public_url: str | None = Field(
        default=None, description="Address people use to reach this server, for links and cookies."
    )
    mcp_hosts: str = Field(
        default="",
        description="Host names, separated by commas, at which applications speak MCP beside this machine's"
        " and that of `public_url`. `*`: any.",
    )
    max_upload_bytes: int = Field(
        default=100 * 1024 * 1024,
        ge=1,
        description="Largest accepted file; larger ones are refused while streaming.",
    )
    max_request_bytes: int = Field(
        default=2 * 1024 * 1024, ge=1024, description="Largest accepted JSON request body."
    )
    max_question_chars: int = Field(default=8_000, ge=1, description="Longest accepted question.")
    run_concurrency: int = Field(
        default=200, ge=1, le=10_000, description="Questions one server process answers at once; others wait."
    )
    run_queue_length: int = Field(
        default=1_000, ge=0, description="Questions that may wait in one server process; more are refused."
    )
    run_timeout_s: float = Field(default=900.0, gt=0, description="Longest time one answer may take.")
    parse_timeout_s: float = Field(default=300.0, gt=0, description="Time limit of parsing one file.")
    split_timeout_s: float = Field(
        default=120.0, gt=0, description="Time limit of splitting one text into paragraphs."
    )
    parse_memory_bytes: int = Field(
        default=2 * 1024**3,
        ge=64 * 1024**2,
        description="Memory limit of the process that parses and splits one file; OCR needs 1 GB.",
    )
    parse_max_output_bytes: int = Field(
        default=256 * 1024**2,
        ge=1024**2,
        description="Largest result of parsing one file, and of splitting it, as JSON.",
    )
    parse_max_pages: int = Field(default=20_000, ge=1, description="Most pages or slides of one file.")
    parse_max_unpacked_bytes: int = Field(
        default=512 * 1024**2, ge=1024**2, description="Most bytes one archive or Office file unpacks to."
    )
    parse_max_unpack_ratio: int = Field(
        default=300,
        ge=2,
        description="Highest ratio of unpacked to packed bytes of what unpacks to more than 8 MB.",
    )
    parse_max_nesting: int = Field(
        default=3, ge=0, le=10, description="How many archives and messages inside one another are opened."
    )
    parse_max_members: int = Field(
        default=1_000, ge=1, description="Most files read of one archive, most attachments of one message."
    )
    ocr: Literal["auto", "off", "always"] = Field(
        default="auto",
        description=(
            "Reading pictures and scans: `auto` reads what has no usable text, `always` every page of a PDF, "
            "`off` nothing."
        ),
    )
    ocr_max_pages: int = Field(
        default=500, ge=1, description="Most pages and pictures of one file that are read by OCR."
    )
    ocr_timeout_s: float = Field(
        default=1_800.0,
        gt=0,
        description=(
            "Time OCR may compute for one file, beside the limit of parsing; the rest is reported. "
            "Waiting for a busy machine does not count, up to five times as long."
        ),
    )
    ocr_page_timeout_s: float = Field(
        default=60.0,
        gt=0,
        description=(
            "Time OCR may compute for one page; the rest of the page is reported and counts as lost. "
            "Waiting for a busy machine does not count, up to five times as long."
        ),
    )
    ocr_threads: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Threads OCR uses for one file; with more, fewer files at once are read as quickly.",
    )
    draft_hours: int = Field(
        default=24,
        ge=1,
        le=24 * 365,
        description="Hours without a change after which a preview that nobody imported is removed.",
    )
    kept_versions: int = Field(
        default=20,
        ge=1,
        le=10_000,
        description="Earlier versions kept of a document; those that answers cite stay beyond it.",
    )
    index_batch_size: int = Field(
        default=32, ge=1, le=1024, description="Paragraphs embedded and written between two checkpoints."
    )
    graph_parallel_calls: int = Field(
        default=4, ge=1, le=64, description="Calls to a language model at once while it reads for a graph."
    )
    worker_concurrency: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Jobs one worker runs at once, beside one that a person waits for and one edit.",
    )
    embedding_threads: int = Field(
        default=0,
        ge=0,
        le=128,
        description="Threads of the embedded embedding model; 0 means cores minus one.",
    )
    exact_scan_limit: int = Field(
        default=10_000,
        ge=0,
        description="Entries up to which an index is scanned exactly in the shared home.",
    )
    database_pool_size: int = Field(
        default=10, ge=1, le=200, description="Database connections a process keeps."
    )
    session_days: int = Field(default=30, ge=1, le=365, description="Days after which a sign-in ends.")
    key_conversation_days: int = Field(
        default=30,
        ge=0,
        description="Days after which conversations held with an API key are removed; 0 keeps them.",
    )
    allow_private_endpoints: bool = Field(
        default=True,
        description=(
            "Whether model endpoints and tool servers may lie on private or loopback addresses, as local "
            "ones do."
        ),
    )
    tool_commands: Literal["administrators", "owners", "off"] = Field(
        default="administrators",
        description=(
            "Who may keep tool servers that run a command on this machine: `administrators` of the "
            "installation, `owners` of a workspace too, or nobody (`off`; such servers are not started)."
        ),
    )
    tool_max_message_bytes: int = Field(
        default=4 * 1024 * 1024,
        ge=64 * 1024,
        description="Largest answer that is accepted of a tool server.",
    )
    sandbox_concurrency: int = Field(
        default=4, ge=1, le=256, description="Programs that run in the sandbox at once; others wait."
    )
    sandbox_memory_bytes: int = Field(
        default=512 * 1024**2,
        ge=64 * 1024**2,
        description="Memory that one program in the sandbox may use, all its processes together.",
    )
    redis_url: SecretStr | None = Field(
        default=None,
        description="`redis://…` of a Redis that counts limits of model calls. Empty: PostgreSQL does.",
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Bearer token with which `/metrics` may be scraped. Empty: only administrators may.",
    )
    model_queue_timeout_s: float = Field(
        default=120.0,
        gt=0,
        description="Longest time a call waits for a model that takes only so many calls at once.",
    )
    embedding_cache_bytes: int = Field(
        default=1024**3,
        ge=0,
        description="Bytes of vectors of connected embedding models that are kept for texts; 0 keeps none.",
    )
    max_import_bytes: int = Field(
        default=4 * 1024**3,
        ge=1,
        description="Largest accepted export of a knowledge base, packed and unpacked.",
    )
    crawl_private_addresses: bool = Field(
        default=False,
        description="Whether web sites on private or loopback addresses may be read as sources.",
    )
    crawl_page_timeout_s: float = Field(
        default=30.0, gt=0, description="Longest time one page of a web site may take, redirects included."
    )
    log_level: str = Field(default="info", description="`debug`, `info`, `warning` or `error`.")
    log_json: bool = Field(default=False, description="Write log lines as JSON.")


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process (cached; tests call `get_settings.cache_clear()`)."""
    return Settings()
