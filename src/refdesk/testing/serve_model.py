"""The scripted model as a process of its own: `python -m refdesk.testing.serve_model [--port N] [options]`.

For trying things by hand and for drills over several processes. Prints where it listens and every request's
path; what it says is the same for all.
"""

import argparse
import asyncio
import sys

from refdesk.testing.scripted_model import (
    Reply,
    Request,
    ScriptedModel,
    Send,
    hang,
    refuses,
    says,
    scripted_model,
)


def reply_of(options: argparse.Namespace) -> Reply | None:
    """What is said to every request; None for the server's own good behaviour."""
    if options.hang:
        return hang()
    if options.status != 200:
        headers = {} if options.retry_after is None else {"Retry-After": str(options.retry_after)}
        return refuses(options.status, options.text or "scripted to fail", headers=headers)
    plain = not (options.text or options.delay or options.first_delay or options.break_after)
    if plain:
        return None
    return says(
        options.text or "This is a scripted answer.",
        delay_s=options.delay,
        first_delay_s=options.first_delay,
        break_after=options.break_after,
    )


async def serve(options: argparse.Namespace) -> None:
    """Until the process is ended."""
    async with scripted_model(options.port) as model:
        if (reply := reply_of(options)) is not None:
            model.always(_told(reply, model))
        sys.stdout.write(f"OpenAI-compatible: {model.base_url}   other vendors: {model.root}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def _told(reply: Reply, model: ScriptedModel) -> Reply:
    async def telling(request: Request, send: Send) -> None:
        sys.stdout.write(f"{len(model.requests)} {request.method} {request.path}\n")
        sys.stdout.flush()
        await reply(request, send)

    return telling


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--text", help="what it says; without it chats echo the last message")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds between two parts")
    parser.add_argument("--first-delay", type=float, default=0.0, help="seconds before the first part")
    parser.add_argument("--break-after", type=int, help="cut the connection after so many parts")
    parser.add_argument("--status", type=int, default=200, help="refuse with this HTTP status")
    parser.add_argument("--retry-after", type=float, help="seconds, sent with a refusal")
    parser.add_argument("--hang", action="store_true", help="accept requests and never answer")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    asyncio.run(serve(parsed()))
