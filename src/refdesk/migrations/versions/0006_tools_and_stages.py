"""Tools and the stages of an answer: tool servers, stored tools, intents, notes, graphs."""

from refdesk.migrations import agent_tables, graph_tables, intent_tables, stage_tables, tool_tables

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TOPICS = (tool_tables, intent_tables, stage_tables, agent_tables, graph_tables)


def upgrade() -> None:
    for topic in _TOPICS:
        topic.make()


def downgrade() -> None:
    for topic in reversed(_TOPICS):
        topic.drop()
