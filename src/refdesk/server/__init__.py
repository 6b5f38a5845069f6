"""The web server and the worker process: the only place that knows FastAPI's application.

Puts the rooms together (`wiring`), maps errors to problem documents (`problems`), serves the built page
(`pages`) and answers the health checks (`health`). No product logic.
"""

from refdesk.server.app import create_app
from refdesk.server.gateway_app import create_gateway_app
from refdesk.server.wiring import build_services
from refdesk.server.worker import run_worker_process

__all__ = ["build_services", "create_app", "create_gateway_app", "run_worker_process"]
