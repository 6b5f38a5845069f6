"""Retrieval in depth: folders and access lists, term bases, builds of other indexes, test sets, gates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# Reached by SQL only: a mapped class knows no `halfvec`.
ROUTE_CENTROIDS = """
CREATE TABLE route_centroids (
    index_id uuid NOT NULL REFERENCES indexes (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    acl_id bigint NOT NULL,
    size integer NOT NULL,
    centroid halfvec NOT NULL
);
CREATE INDEX ix_route_centroids_index_id ON route_centroids (index_id);
CREATE INDEX ix_route_centroids_workspace_id ON route_centroids (workspace_id);
"""


def upgrade() -> None:
    op.create_table(
        "test_sets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("knowledge_base_ids", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_test_sets_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_test_sets_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_test_sets")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_test_sets_workspace_id_name"),
    )
    op.create_index(op.f("ix_test_sets_workspace_id"), "test_sets", ["workspace_id"], unique=False)
    op.create_table(
        "test_questions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("test_set_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(length=4000), nullable=False),
        sa.Column("expected_document_ids", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("expected_paragraph_ids", postgresql.ARRAY(sa.Uuid()), nullable=False),
        sa.Column("expects_nothing", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["test_set_id"], ["test_sets.id"], name=op.f("fk_test_questions_test_set_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_test_questions_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_test_questions")),
    )
    op.create_index(op.f("ix_test_questions_test_set_id"), "test_questions", ["test_set_id"], unique=False)
    op.create_index(op.f("ix_test_questions_workspace_id"), "test_questions", ["workspace_id"], unique=False)
    op.create_table(
        "test_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("test_set_id", sa.Uuid(), nullable=False),
        sa.Column("settings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("totals", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_test_runs_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["test_set_id"], ["test_sets.id"], name=op.f("fk_test_runs_test_set_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_test_runs_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_test_runs")),
    )
    op.create_index(op.f("ix_test_runs_test_set_id"), "test_runs", ["test_set_id"], unique=False)
    op.create_index(op.f("ix_test_runs_workspace_id"), "test_runs", ["workspace_id"], unique=False)
    op.create_table(
        "access_lists",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_access_lists_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_access_lists_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_lists")),
    )
    op.create_index(
        op.f("ix_access_lists_knowledge_base_id"), "access_lists", ["knowledge_base_id"], unique=False
    )
    op.create_index(op.f("ix_access_lists_workspace_id"), "access_lists", ["workspace_id"], unique=False)
    op.create_table(
        "terms",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("word", sa.String(length=200), nullable=False),
        sa.Column("synonyms", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("keys", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_terms_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_terms_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_terms")),
        sa.UniqueConstraint("knowledge_base_id", "word", name="uq_terms_knowledge_base_id_word"),
    )
    op.create_index(op.f("ix_terms_workspace_id"), "terms", ["workspace_id"], unique=False)
    op.create_table(
        "term_states",
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("held", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("traces", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("wanted", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("cursor", sa.Uuid(), nullable=True),
        sa.Column("is_pending", sa.Boolean(), nullable=False),
        sa.Column("progress_done", sa.Integer(), nullable=False),
        sa.Column("progress_total", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_term_states_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_term_states_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("knowledge_base_id", name=op.f("pk_term_states")),
    )
    op.create_index(op.f("ix_term_states_workspace_id"), "term_states", ["workspace_id"], unique=False)
    op.create_table(
        "access_list_members",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("access_list_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("group_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint("num_nonnulls(user_id, group_id) = 1", name=op.f("ck_access_list_members_one")),
        sa.ForeignKeyConstraint(
            ["access_list_id"],
            ["access_lists.id"],
            name=op.f("fk_access_list_members_access_list_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_access_list_members_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_access_list_members_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_access_list_members_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_list_members")),
        sa.UniqueConstraint(
            "access_list_id",
            "user_id",
            "group_id",
            name="uq_access_list_members_access_list_id",
            postgresql_nulls_not_distinct=True,
        ),
    )
    op.create_index(
        op.f("ix_access_list_members_group_id"), "access_list_members", ["group_id"], unique=False
    )
    op.create_index(op.f("ix_access_list_members_user_id"), "access_list_members", ["user_id"], unique=False)
    op.create_index(
        op.f("ix_access_list_members_workspace_id"), "access_list_members", ["workspace_id"], unique=False
    )
    op.create_table(
        "folders",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("parent_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("access_list_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["access_list_id"], ["access_lists.id"], name=op.f("fk_folders_access_list_id")
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_folders_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["folders.id"], name=op.f("fk_folders_parent_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_folders_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_folders")),
    )
    op.create_index(op.f("ix_folders_access_list_id"), "folders", ["access_list_id"], unique=False)
    op.create_index(op.f("ix_folders_knowledge_base_id"), "folders", ["knowledge_base_id"], unique=False)
    op.create_index(op.f("ix_folders_parent_id"), "folders", ["parent_id"], unique=False)
    op.create_index(op.f("ix_folders_workspace_id"), "folders", ["workspace_id"], unique=False)
    op.create_index(
        "ix_folders_knowledge_base_id_parent_id_name",
        "folders",
        ["knowledge_base_id", "parent_id", "name"],
        unique=False,
    )
    op.create_table(
        "removed_documents",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("acl_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_removed_documents_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removed_documents")),
    )
    op.create_index(
        op.f("ix_removed_documents_workspace_id"), "removed_documents", ["workspace_id"], unique=False
    )
    op.create_table(
        "index_builds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("index_id", sa.Uuid(), nullable=True),
        sa.Column("previous_index_id", sa.Uuid(), nullable=True),
        sa.Column("model_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("progress_done", sa.Integer(), nullable=False),
        sa.Column("progress_total", sa.Integer(), nullable=False),
        sa.Column("comparison", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("error", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("attempt", sa.Uuid(), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_index_builds_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["index_id"], ["indexes.id"], name=op.f("fk_index_builds_index_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_index_builds_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_index_builds_model_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["previous_index_id"],
            ["indexes.id"],
            name=op.f("fk_index_builds_previous_index_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_index_builds_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_index_builds")),
    )
    op.create_index(op.f("ix_index_builds_index_id"), "index_builds", ["index_id"], unique=False)
    op.create_index(
        op.f("ix_index_builds_knowledge_base_id"), "index_builds", ["knowledge_base_id"], unique=False
    )
    op.create_index(op.f("ix_index_builds_model_id"), "index_builds", ["model_id"], unique=False)
    op.create_index(
        op.f("ix_index_builds_previous_index_id"), "index_builds", ["previous_index_id"], unique=False
    )
    op.create_index(op.f("ix_index_builds_workspace_id"), "index_builds", ["workspace_id"], unique=False)
    op.add_column("documents", sa.Column("folder_id", sa.Uuid(), nullable=True))
    op.add_column("documents", sa.Column("access_list_id", sa.BigInteger(), nullable=True))
    op.create_index(op.f("ix_documents_access_list_id"), "documents", ["access_list_id"], unique=False)
    op.create_index(op.f("ix_documents_folder_id"), "documents", ["folder_id"], unique=False)
    op.create_foreign_key(
        op.f("fk_documents_access_list_id"), "documents", "access_lists", ["access_list_id"], ["id"]
    )
    op.create_foreign_key(
        op.f("fk_documents_folder_id"), "documents", "folders", ["folder_id"], ["id"], ondelete="SET NULL"
    )
    op.add_column("models", sa.Column("gates", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.create_table(
        "external_sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("config", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("credential_sealed", sa.LargeBinary(), nullable=True),
        sa.Column("model_id", sa.Uuid(), nullable=True),
        sa.Column("timeout_s", sa.Float(), nullable=False),
        sa.Column("last_check", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_external_sources_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("fk_external_sources_model_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_external_sources_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_external_sources")),
        sa.UniqueConstraint("workspace_id", "name", name="uq_external_sources_workspace_id_name"),
    )
    op.create_index(op.f("ix_external_sources_model_id"), "external_sources", ["model_id"], unique=False)
    op.create_index(
        op.f("ix_external_sources_workspace_id"), "external_sources", ["workspace_id"], unique=False
    )
    op.create_table(
        "route_profiles",
        sa.Column("index_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("entry_count", sa.BigInteger(), nullable=False),
        sa.Column("total_length", sa.BigInteger(), nullable=False),
        sa.Column("access_print", sa.String(length=32), nullable=False),
        sa.Column("refreshed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["index_id"], ["indexes.id"], name=op.f("fk_route_profiles_index_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_route_profiles_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_route_profiles")),
    )
    op.create_index(op.f("ix_route_profiles_workspace_id"), "route_profiles", ["workspace_id"], unique=False)
    op.create_table(
        "route_terms",
        sa.Column("index_id", sa.Uuid(), nullable=False),
        sa.Column("acl_id", sa.BigInteger(), nullable=False),
        sa.Column("term", sa.Integer(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["index_id"], ["indexes.id"], name=op.f("fk_route_terms_index_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_route_terms_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("index_id", "acl_id", "term", name=op.f("pk_route_terms")),
    )
    op.create_index(op.f("ix_route_terms_workspace_id"), "route_terms", ["workspace_id"], unique=False)
    op.execute(ROUTE_CENTROIDS)
    op.create_index(
        "ix_documents_knowledge_base_id_acl_id",
        "documents",
        ["knowledge_base_id", "acl_id"],
        unique=False,
        postgresql_include=["paragraph_count"],
    )
    op.create_index(
        "ix_documents_restricted",
        "documents",
        ["knowledge_base_id", "id", "acl_id"],
        unique=False,
        postgresql_where=sa.text("acl_id <> 0"),
    )
    op.create_index(
        "ix_documents_on_the_way",
        "documents",
        ["knowledge_base_id"],
        postgresql_where=sa.text("state IN ('queued', 'parsing', 'splitting', 'indexing')"),
    )


def downgrade() -> None:
    op.drop_index("ix_documents_on_the_way", table_name="documents")
    op.drop_index("ix_documents_restricted", table_name="documents")
    op.drop_index("ix_documents_knowledge_base_id_acl_id", table_name="documents")
    op.execute("DROP TABLE route_centroids")
    op.drop_index(op.f("ix_route_terms_workspace_id"), table_name="route_terms")
    op.drop_table("route_terms")
    op.drop_index(op.f("ix_route_profiles_workspace_id"), table_name="route_profiles")
    op.drop_table("route_profiles")
    op.drop_index(op.f("ix_external_sources_workspace_id"), table_name="external_sources")
    op.drop_index(op.f("ix_external_sources_model_id"), table_name="external_sources")
    op.drop_table("external_sources")
    op.drop_column("models", "gates")
    op.drop_constraint(op.f("fk_documents_folder_id"), "documents", type_="foreignkey")
    op.drop_constraint(op.f("fk_documents_access_list_id"), "documents", type_="foreignkey")
    op.drop_index(op.f("ix_documents_folder_id"), table_name="documents")
    op.drop_index(op.f("ix_documents_access_list_id"), table_name="documents")
    op.drop_column("documents", "access_list_id")
    op.drop_column("documents", "folder_id")
    op.drop_index(op.f("ix_index_builds_workspace_id"), table_name="index_builds")
    op.drop_index(op.f("ix_index_builds_previous_index_id"), table_name="index_builds")
    op.drop_index(op.f("ix_index_builds_model_id"), table_name="index_builds")
    op.drop_index(op.f("ix_index_builds_knowledge_base_id"), table_name="index_builds")
    op.drop_index(op.f("ix_index_builds_index_id"), table_name="index_builds")
    op.drop_table("index_builds")
    op.drop_index(op.f("ix_removed_documents_workspace_id"), table_name="removed_documents")
    op.drop_table("removed_documents")
    op.drop_index("ix_folders_knowledge_base_id_parent_id_name", table_name="folders")
    op.drop_index(op.f("ix_folders_workspace_id"), table_name="folders")
    op.drop_index(op.f("ix_folders_parent_id"), table_name="folders")
    op.drop_index(op.f("ix_folders_knowledge_base_id"), table_name="folders")
    op.drop_index(op.f("ix_folders_access_list_id"), table_name="folders")
    op.drop_table("folders")
    op.drop_index(op.f("ix_access_list_members_workspace_id"), table_name="access_list_members")
    op.drop_index(op.f("ix_access_list_members_user_id"), table_name="access_list_members")
    op.drop_index(op.f("ix_access_list_members_group_id"), table_name="access_list_members")
    op.drop_table("access_list_members")
    op.drop_index(op.f("ix_term_states_workspace_id"), table_name="term_states")
    op.drop_table("term_states")
    op.drop_index(op.f("ix_terms_workspace_id"), table_name="terms")
    op.drop_table("terms")
    op.drop_index(op.f("ix_access_lists_workspace_id"), table_name="access_lists")
    op.drop_index(op.f("ix_access_lists_knowledge_base_id"), table_name="access_lists")
    op.drop_table("access_lists")
    op.drop_index(op.f("ix_test_runs_workspace_id"), table_name="test_runs")
    op.drop_index(op.f("ix_test_runs_test_set_id"), table_name="test_runs")
    op.drop_table("test_runs")
    op.drop_index(op.f("ix_test_questions_workspace_id"), table_name="test_questions")
    op.drop_index(op.f("ix_test_questions_test_set_id"), table_name="test_questions")
    op.drop_table("test_questions")
    op.drop_index(op.f("ix_test_sets_workspace_id"), table_name="test_sets")
    op.drop_table("test_sets")
