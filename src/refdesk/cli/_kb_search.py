"""Searching a base on the command line, and asking why something was not found."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._kb_documents import document_of

BASES = "/api/v1/knowledge-bases"
Mode = Literal["embedding", "keywords", "blend"]

# What kept it out, in words; the page has the same in its catalogues.
REASONS = {
    "found": "It is there, at rank {rank}.",
    "other_base": "It is in another knowledge base.",
    "filtered": "The search is narrowed to other documents.",
    "not_routed": "Its knowledge base was not chosen among those asked.",
    "draft": "It is a preview that has not been imported.",
    "document_inactive": "The document is taken out of searches.",
    "paragraph_inactive": "Its paragraphs are taken out of searches.",
    "failed": "It could not be read, so nothing of it is indexed.",
    "cancelled": "Reading it was cancelled, so nothing of it is indexed.",
    "not_indexed": "It is not indexed yet ({state}).",
    "empty": "It has no text.",
    "access_changing": "Who may see it has just changed; the index follows in a moment.",
    "not_a_candidate": "Neither by meaning nor by words is it among the {limit} nearest.",
    "ranked_out": "It was a candidate (place {place} of {candidates}) and was put behind those looked at.",
    "below_threshold": "Its similarity {similarity:.2f} is below the threshold {threshold:.2f}.",
    "below_rerank_score": "The reranker gave it less than the least score.",
    "far_below_best": "Its similarity {similarity:.2f} is too far below the best, {best:.2f}.",
    "repeats_another": "It says what a better hit says.",
    "beyond_top_n": "It is at place {place} of {candidates}; {top_n} were asked for.",
}
NOTES = {
    "restricted": "Not everybody may see this document.",
    "partly_indexed": "Only a part of it is indexed yet.",
    "older_revision": "An edit of it is not indexed yet.",
    "some_inactive": "Some of its paragraphs are taken out of searches.",
    "missed_by_graph": "It is near enough by meaning; the approximate index did not come upon it.",
    "only_frequent_words": "It holds only such words of the question as very many paragraphs hold.",
    "ranks_not_counted": "There are too many paragraphs to compare them all; a rank is missing.",
}


def add_commands(group: typer.Typer) -> None:
    """Add the command to the group `kb`."""
    add_command(group, "search", search)


async def search(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or id of the knowledge base.")],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    mode: Annotated[Mode, typer.Option(help="embedding, keywords or blend.")] = "blend",
    top_n: Annotated[int, typer.Option("--top-n", min=1, max=100, help="Most hits.")] = 5,
    similarity: Annotated[float, typer.Option(min=0, max=1, help="Least similarity of a hit.")] = 0.45,
    drop: Annotated[
        float | None, typer.Option(min=0.001, max=1, help="Leave out what is so much below the best.")
    ] = None,
    strategy: Annotated[str, typer.Option(help="Name of the strategy, or auto.")] = "hybrid-search",
    rerank: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Reranker that orders the hits, by id or name.")
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="DOCUMENT", help="Tell why this document (name or id) is not among the hits."),
    ] = None,
) -> Result:
    """Search a knowledge base, with the scores of each leg; or ask why a document is not found."""
    base = await find(client, BASES, name, what="knowledge base")
    body: dict[str, Any] = {
        "query": query,
        "knowledge_base_ids": [base["id"]],
        "mode": mode,
        "top_n": top_n,
        "similarity": similarity,
        "drop": drop,
        "strategy": strategy,
    }
    if rerank is not None:
        model = await find(client, "/api/v1/models", rerank, what="model")
        body["rerank"] = {"model_id": model["id"]}
    if explain is not None:
        document = await document_of(client, explain, name)
        found = await client.post("/api/v1/hit-test/explain", body | {"document_id": document["id"]})
        return Result(found, list(explanation_lines(found)))
    result = await client.post("/api/v1/hit-test", body)
    return Result(result, list(_hit_lines(result)))


def explanation_lines(found: dict[str, Any]) -> Iterator[str]:
    """The reason in words, then the numbers it rests on."""
    standing: dict[str, Any] = found["standing"] or {}
    values = found | found["subject"] | standing
    yield f"{found['subject']['document_name']}: {REASONS[found['reason']].format_map(values)}"
    for note in found["notes"]:
        yield f"  {NOTES[note]}"
    if not standing:
        return
    for leg, name in (("dense", "meaning"), ("lexical", "words")):
        score = standing[leg]
        if score is not None:
            rank = "–" if score["rank"] is None else score["rank"]
            yield f"  {name:<8} {score['calibrated']:.2f}  (raw {score['raw']:.3f}, rank {rank})"
    yield f"  together {standing['similarity']:.2f}  (threshold {found['threshold']:.2f})"
    words = [
        f"{word['word']}{'' if word['held'] else ' (missing)' if word['known'] else ' (nowhere)'}"
        for word in standing["words"]
        if word["weight"] >= 0.01
    ]
    if words:
        yield f"  asked for: {', '.join(words)}"
    if found["paragraph"] is not None:
        yield "  nearest: " + " ".join(found["paragraph"]["content"].split())[:200]


def _nothing(result: dict[str, Any]) -> str:
    """That nothing was found, with the gate that decided and its numbers."""
    told = f"Nothing found (best {result['best']:.2f}, threshold {result['threshold']:.2f}"
    decision = result["decision"]
    if decision is None:
        return f"{told})."
    if decision["gate"] != "absolute":
        told += f"; {decision['gate']} gate: {decision['score']:.3g}, needed {decision['threshold']:.3g}"
    return f"{told}; {decision['below']} passages below)."


def _hit_lines(result: dict[str, Any]) -> Iterator[str]:
    if not result["hits"]:
        yield _nothing(result)
    for warning in result["warnings"]:
        yield f"Warning: {warning['message']}"
    for number, hit in enumerate(result["hits"], start=1):
        section = " › ".join([*hit["title_chain"], hit["title"]]).strip(" ›")
        page = f", page {hit['page']}" if hit["page"] else ""
        score = "" if hit["rerank_score"] is None else f"  rerank {hit['rerank_score']:.3f}"
        yield f"{number}. {hit['similarity']:.2f}{score}  {hit['document_name']}{page}  {section}"
        yield "   " + " ".join(hit["content"].split())[:200]
