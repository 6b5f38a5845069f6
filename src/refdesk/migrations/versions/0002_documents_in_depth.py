"""Documents in depth: drafts, versions, questions, sources, what people say of a document and its file."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

# Every document has a current version; those of before are their own first.
FIRST_VERSIONS = """
INSERT INTO document_versions (id, workspace_id, document_id, number, reason, name, kind, blob_id, found_meta,
    warnings, split_settings, character_count, paragraph_count, coverage, created_by, created_at)
SELECT gen_random_uuid(), workspace_id, id, 1, 'upload', name, kind, blob_id, '{}', warnings, split_settings,
    character_count, paragraph_count, coverage, created_by, created_at
FROM documents
"""

# Words are looked up by rows: one whose weights lie in TOAST costs three pages, a whole one costs one.
WHOLE_ROWS = """
ALTER TABLE index_entries ALTER COLUMN bm25 SET STORAGE MAIN;
DO $$
DECLARE home regclass;
BEGIN
    FOR home IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'index_entries'::regclass LOOP
        EXECUTE format('ALTER TABLE %s SET (toast_tuple_target = 8160)', home);
    END LOOP;
END $$;
"""


def upgrade() -> None:
    op.create_table(
        "questions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("content", sa.String(length=500), nullable=False),
        sa.Column("twin", sa.Integer(), nullable=False),
        sa.Column("hit_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_questions_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_questions_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sa.UniqueConstraint(
            "knowledge_base_id", "content", "twin", name="uq_questions_knowledge_base_id_content_twin"
        ),
    )
    op.create_index(op.f("ix_questions_workspace_id"), "questions", ["workspace_id"], unique=False)
    op.create_table(
        "sources",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("knowledge_base_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("config", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("interval_hours", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("counts", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("error", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("attempt", sa.Uuid(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("last_run_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_run_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_sources_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["knowledge_base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_sources_knowledge_base_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_sources_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
    )
    op.create_index(op.f("ix_sources_knowledge_base_id"), "sources", ["knowledge_base_id"], unique=False)
    op.create_index(op.f("ix_sources_workspace_id"), "sources", ["workspace_id"], unique=False)
    op.create_table(
        "document_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=True),
        sa.Column("blob_id", sa.Uuid(), nullable=True),
        sa.Column("found_meta", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("warnings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("split_settings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("character_count", sa.Integer(), nullable=False),
        sa.Column("paragraph_count", sa.Integer(), nullable=False),
        sa.Column("coverage", sa.Double[float](), nullable=True),
        sa.Column("snapshot", sa.LargeBinary(), nullable=True),
        sa.Column("restores", sa.Integer(), nullable=True),
        sa.Column("replaced_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["blob_id"], ["blobs.id"], name=op.f("fk_document_versions_blob_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_document_versions_created_by"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_document_versions_document_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_document_versions_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document_versions")),
        sa.UniqueConstraint("document_id", "number", name="uq_document_versions_document_id_number"),
    )
    op.create_index(op.f("ix_document_versions_blob_id"), "document_versions", ["blob_id"], unique=False)
    op.create_index(
        op.f("ix_document_versions_workspace_id"), "document_versions", ["workspace_id"], unique=False
    )
    op.create_table(
        "source_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=2000), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("etag", sa.String(), nullable=True),
        sa.Column("last_modified", sa.String(), nullable=True),
        sa.Column("content_hash", sa.LargeBinary(), nullable=True),
        sa.Column("links", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("error", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("acl_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_source_items_document_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_items_source_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name=op.f("fk_source_items_workspace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_items")),
        sa.UniqueConstraint("source_id", "key", name="uq_source_items_source_id_key"),
    )
    op.create_index(op.f("ix_source_items_document_id"), "source_items", ["document_id"], unique=False)
    op.create_index(op.f("ix_source_items_workspace_id"), "source_items", ["workspace_id"], unique=False)
    op.create_table(
        "paragraph_questions",
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("question_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["paragraph_id"],
            ["paragraphs.id"],
            name=op.f("fk_paragraph_questions_paragraph_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["question_id"],
            ["questions.id"],
            name=op.f("fk_paragraph_questions_question_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_paragraph_questions_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("paragraph_id", "question_id", name=op.f("pk_paragraph_questions")),
    )
    op.create_index(
        op.f("ix_paragraph_questions_question_id"), "paragraph_questions", ["question_id"], unique=False
    )
    op.create_index(
        op.f("ix_paragraph_questions_workspace_id"), "paragraph_questions", ["workspace_id"], unique=False
    )
    op.create_table(
        "past_paragraphs",
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["document_versions.id"],
            name=op.f("fk_past_paragraphs_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_past_paragraphs_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("paragraph_id", "version_id", name=op.f("pk_past_paragraphs")),
    )
    op.create_index(op.f("ix_past_paragraphs_version_id"), "past_paragraphs", ["version_id"], unique=False)
    op.create_index(
        op.f("ix_past_paragraphs_workspace_id"), "past_paragraphs", ["workspace_id"], unique=False
    )
    op.create_table(
        "deleted_paragraphs",
        sa.Column("paragraph_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("workspace_id", sa.Uuid(), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_deleted_paragraphs_document_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"],
            ["workspaces.id"],
            name=op.f("fk_deleted_paragraphs_workspace_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("paragraph_id", name=op.f("pk_deleted_paragraphs")),
    )
    op.create_index(
        op.f("ix_deleted_paragraphs_document_id"), "deleted_paragraphs", ["document_id"], unique=False
    )
    op.create_index(
        op.f("ix_deleted_paragraphs_workspace_id"), "deleted_paragraphs", ["workspace_id"], unique=False
    )
    op.add_column("documents", sa.Column("is_active", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("documents", sa.Column("is_draft", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("documents", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "documents", sa.Column("version", sa.Integer(), nullable=False, server_default=sa.text("1"))
    )
    op.add_column(
        "documents",
        sa.Column(
            "found_meta",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            server_default=sa.text("'{}'"),
        ),
    )
    op.add_column(
        "documents",
        sa.Column(
            "report",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            server_default=sa.text("'{}'"),
        ),
    )
    op.add_column("documents", sa.Column("parsed_blob_id", sa.Uuid(), nullable=True))
    op.add_column("documents", sa.Column("password_sealed", sa.LargeBinary(), nullable=True))
    op.add_column(
        "documents",
        sa.Column(
            "removed_origins", postgresql.ARRAY(sa.Text()), nullable=False, server_default=sa.text("'{}'")
        ),
    )
    op.add_column("documents", sa.Column("source_id", sa.Uuid(), nullable=True))
    op.create_index(op.f("ix_documents_parsed_blob_id"), "documents", ["parsed_blob_id"], unique=False)
    op.create_index(op.f("ix_documents_source_id"), "documents", ["source_id"], unique=False)
    op.create_foreign_key(
        op.f("fk_documents_source_id"), "documents", "sources", ["source_id"], ["id"], ondelete="SET NULL"
    )
    op.create_foreign_key(
        op.f("fk_documents_parsed_blob_id"),
        "documents",
        "blobs",
        ["parsed_blob_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.add_column(
        "paragraphs",
        sa.Column("origins", postgresql.ARRAY(sa.Text()), nullable=False, server_default=sa.text("'{}'")),
    )
    op.add_column("paragraphs", sa.Column("source_title", sa.String(), nullable=True))
    op.add_column("paragraphs", sa.Column("source_content", sa.String(), nullable=True))
    op.add_column(
        "paragraphs",
        sa.Column(
            "meta", postgresql.JSONB(astext_type=sa.Text()), nullable=False, server_default=sa.text("'{}'")
        ),
    )
    # Rows that are there take the defaults; new ones get theirs from the code, as everywhere.
    op.alter_column("documents", "is_active", server_default=None)
    op.alter_column("documents", "is_draft", server_default=None)
    op.alter_column("documents", "version", server_default=None)
    op.alter_column("documents", "found_meta", server_default=None)
    op.alter_column("documents", "report", server_default=None)
    op.alter_column("documents", "removed_origins", server_default=None)
    op.alter_column("paragraphs", "origins", server_default=None)
    op.alter_column("paragraphs", "meta", server_default=None)
    op.execute("ALTER TABLE document_versions ALTER COLUMN snapshot SET STORAGE EXTERNAL")
    op.execute(FIRST_VERSIONS)
    op.get_bind().exec_driver_sql(WHOLE_ROWS.replace("%", "%%"))
    # How many of `terms`, which they lead, are in the titles.
    op.execute("ALTER TABLE index_entries ADD COLUMN title_terms smallint NOT NULL DEFAULT 0")


def downgrade() -> None:
    op.execute("ALTER TABLE index_entries DROP COLUMN title_terms")
    op.drop_column("paragraphs", "meta")
    op.drop_column("paragraphs", "source_content")
    op.drop_column("paragraphs", "source_title")
    op.drop_column("paragraphs", "origins")
    op.drop_constraint(op.f("fk_documents_parsed_blob_id"), "documents", type_="foreignkey")
    op.drop_constraint(op.f("fk_documents_source_id"), "documents", type_="foreignkey")
    op.drop_index(op.f("ix_documents_source_id"), table_name="documents")
    op.drop_index(op.f("ix_documents_parsed_blob_id"), table_name="documents")
    op.drop_column("documents", "source_id")
    op.drop_column("documents", "removed_origins")
    op.drop_column("documents", "password_sealed")
    op.drop_column("documents", "parsed_blob_id")
    op.drop_column("documents", "report")
    op.drop_column("documents", "found_meta")
    op.drop_column("documents", "version")
    op.drop_column("documents", "expires_at")
    op.drop_column("documents", "is_draft")
    op.drop_column("documents", "is_active")
    op.drop_index(op.f("ix_deleted_paragraphs_workspace_id"), table_name="deleted_paragraphs")
    op.drop_index(op.f("ix_deleted_paragraphs_document_id"), table_name="deleted_paragraphs")
    op.drop_table("deleted_paragraphs")
    op.drop_index(op.f("ix_past_paragraphs_workspace_id"), table_name="past_paragraphs")
    op.drop_index(op.f("ix_past_paragraphs_version_id"), table_name="past_paragraphs")
    op.drop_table("past_paragraphs")
    op.drop_index(op.f("ix_paragraph_questions_workspace_id"), table_name="paragraph_questions")
    op.drop_index(op.f("ix_paragraph_questions_question_id"), table_name="paragraph_questions")
    op.drop_table("paragraph_questions")
    op.drop_index(op.f("ix_source_items_workspace_id"), table_name="source_items")
    op.drop_index(op.f("ix_source_items_document_id"), table_name="source_items")
    op.drop_table("source_items")
    op.drop_index(op.f("ix_document_versions_workspace_id"), table_name="document_versions")
    op.drop_index(op.f("ix_document_versions_blob_id"), table_name="document_versions")
    op.drop_table("document_versions")
    op.drop_index(op.f("ix_sources_workspace_id"), table_name="sources")
    op.drop_index(op.f("ix_sources_knowledge_base_id"), table_name="sources")
    op.drop_table("sources")
    op.drop_index(op.f("ix_questions_workspace_id"), table_name="questions")
    op.drop_table("questions")
