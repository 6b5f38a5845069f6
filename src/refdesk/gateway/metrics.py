"""The gateway as it is scraped: calls of this process, breakers, and the queues before models."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.gateway.clients import Gateway
from refdesk.gateway.limits.tables import PermitTicket
from refdesk.kit.prometheus import Family

STATES = ("closed", "open", "half_open")


def process_families(gateway: Gateway) -> list[Family]:
    """What needs no database."""
    snapshot, usage = gateway.routing.snapshot, gateway.controls.usage
    names = {model.id: model.row.name for model in snapshot.all()}
    breakers = Family("refdesk_model_breaker", "gauge", "1 for the state a model's breaker is in.")
    for model in snapshot.all():
        now = gateway.routing.health.state(model.id).state
        for state in STATES:
            labels = {"workspace": str(model.row.workspace_id), "model": model.row.name}
            breakers.add(state == now, **labels, state=state)
    waiting = Family("refdesk_usage_waiting", "gauge", "Calls on their way into the record.")
    waiting.add(usage.waiting)
    lost = Family("refdesk_usage_lost_total", "counter", "Calls that never reached the record.")
    lost.add(usage.lost)
    return [*usage.meter.families(lambda one: names.get(one, str(one))), breakers, waiting, lost]


async def queue_families(session: AsyncSession, gateway: Gateway) -> list[Family]:
    """Calls that hold permits and wait for them, of all processes."""
    held = Family("refdesk_model_permits_held", "gauge", "Calls that a model is answering now.")
    waiting = Family("refdesk_model_queue_length", "gauge", "Calls that wait for a model.")
    most = Family("refdesk_model_concurrency", "gauge", "Calls that a model takes at once.")
    tickets = PermitTicket
    statement = (
        select(tickets.model_id, tickets.is_held, func.count())
        .where(tickets.expires_at > func.now())
        .group_by(tickets.model_id, tickets.is_held)
    )
    counted = {(row[0], row[1]): row[2] for row in await session.execute(statement)}
    for model in gateway.routing.snapshot.all():
        if model.concurrency is None:
            continue
        labels = {"workspace": str(model.row.workspace_id), "model": model.row.name}
        held.add(counted.get((model.id, True), 0), **labels)
        waiting.add(counted.get((model.id, False), 0), **labels)
        most.add(model.concurrency, **labels)
    return [held, waiting, most]
