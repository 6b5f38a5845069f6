"""Routing of one process: the snapshot, the breakers, the probes and the flow, made together."""

import httpx

from refdesk.gateway.controls import Controls
from refdesk.gateway.routing.flow import Flow
from refdesk.gateway.routing.health import Health
from refdesk.gateway.routing.probes import Probes
from refdesk.gateway.routing.snapshot import Snapshot
from refdesk.kit.database import Database


class Routing:
    """What a gateway decides with. Nothing is connected before the first call or `start`."""

    def __init__(self, database: Database, http: httpx.AsyncClient, controls: Controls) -> None:
        self.health = Health(database)
        self.snapshot = Snapshot(database, controls.listener, self.health.told)
        self.flow = Flow(self.snapshot, self.health, controls.limits, controls.permits, controls.usage)
        self.probes = Probes(database, http, self.snapshot, self.health)

    async def start(self) -> None:
        """Listen, and probe the models that want it."""
        await self.snapshot.ready()
        self.probes.start()

    async def close(self) -> None:
        await self.probes.close()
        await self.health.close()
        await self.snapshot.close()
