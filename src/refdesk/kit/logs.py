"""What server and worker write about themselves: one line an event, on standard error.

Owns the shape of log lines, structlog's and the standard library's alike. Lines are for people, or JSON with
`REFDESK_LOG_JSON`. Must not be called by libraries or rooms, only where a process starts.
"""

import logging
import sys

import structlog

from refdesk.kit.settings import Settings

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def _identify(_logger: object, _method: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Every line says for which request and which model it is, null where it is for none (X17): whoever
    filters lines finds the same members in all of them."""
    line.setdefault("request_id", None)
    line.setdefault("model_id", None)
    return line


def configure_logs(settings: Settings) -> None:
    """Send the logs of this process to standard error, from `settings.log_level` on."""
    level = _LEVELS.get(settings.log_level.lower(), logging.INFO)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    render: list[structlog.typing.Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if settings.log_json:
        render += [
            _identify,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        plain = structlog.dev.plain_traceback
        render.append(structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=render, foreign_pre_chain=shared))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "uvicorn.error", "procrastinate", "alembic", "psycopg.pool"):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))
