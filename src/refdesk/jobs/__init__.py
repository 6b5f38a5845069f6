"""The queue of background work and its schedule, kept in PostgreSQL (procrastinate).

A room declares its work with `@task` in its own `jobs.py`; whoever causes work calls `enqueue` inside the
transaction that makes it necessary, so that neither exists without the other. A job that a dead process
left behind is found and started again from its beginning: every job is idempotent and keeps its own
checkpoints. Knows nothing of what the jobs do.
"""

from refdesk.jobs.queue import Task, Urgency, enqueue, pending_jobs, registered_tasks, task
from refdesk.jobs.worker import JobContext, run_worker

__all__ = [
    "JobContext",
    "Task",
    "Urgency",
    "enqueue",
    "pending_jobs",
    "registered_tasks",
    "run_worker",
    "task",
]
