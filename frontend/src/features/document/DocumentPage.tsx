/** A document: its paragraphs to read and edit; for a PDF the original page beside them. */
import { Alert, Anchor, Breadcrumbs, Button, Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getDocumentOptions, getKnowledgeBaseOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { DocumentView, ParagraphView } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { formatAgo, formatBytes, formatPercent } from '../../i18n/format';
import { DocumentFailure } from '../knowledge/DocumentFailure';
import { StateChip } from '../knowledge/StateChip';
import { useBaseEvents } from '../knowledge/useBaseEvents';
import { useWarningText } from '../knowledge/useWarningText';
import classes from './DocumentPage.module.css';
import { PageImages } from './PageImages';
import { Paragraphs } from './Paragraphs';

export default function DocumentPage() {
  const { t } = useTranslation();
  const { documentId } = useParams({ from: '/house/documents/$documentId' });
  const document = useQuery(getDocumentOptions({ path: { document_id: documentId } }));
  if (document.error) {
    return (
      <div className={classes.page}>
        <Problem error={document.error} onRetry={document.refetch} />
      </div>
    );
  }
  if (!document.data) {
    return (
      <div className={classes.page} role="status" aria-label={t('common.loading')}>
        <Skeleton height={36} width={320} mb="lg" />
        <Skeleton height={480} radius="lg" />
      </div>
    );
  }
  return <Document key={documentId} document={document.data} />;
}

function Document({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { paragraph, start, length } = useSearch({ from: '/house/documents/$documentId' });
  const wide = useMediaQuery('(min-width: 75em)', false, { getInitialValueInEffect: false });
  const [side, setSide] = useState<'text' | 'pages'>('text');
  const [looked, setLooked] = useState<ParagraphView | null>(null);
  const pageCount = Number(document.meta.page_count ?? 0);
  const hasPages = document.kind === 'pdf' && document.has_file && pageCount > 0;
  const target = paragraph ? { id: paragraph, start: start ?? null, length: length ?? null } : null;
  const showPages = hasPages && (wide || side === 'pages');
  const showText = !hasPages || wide || side === 'text';
  useBaseEvents(document.knowledge_base_id);
  return (
    <div className={classes.page}>
      <Head document={document} />
      {hasPages && !wide && (
        <SegmentedControl
          fullWidth
          mb="md"
          aria-label={t('document.view')}
          value={side}
          onChange={(value) => setSide(value as typeof side)}
          data={[
            { value: 'text', label: t('document.text') },
            { value: 'pages', label: t('document.original') },
          ]}
        />
      )}
      <div className={classes.body} data-split={(showPages && showText) || undefined}>
        {showPages && <PageImages document={document} pageCount={pageCount} looked={looked} />}
        {/* Stays mounted: what is being edited must survive a look at the original. */}
        <div className={classes.text} hidden={!showText}>
          <Paragraphs document={document} target={target} onLook={setLooked} looked={looked?.id ?? null} />
        </div>
      </div>
    </div>
  );
}

function Head({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const warningText = useWarningText();
  const base = useQuery(getKnowledgeBaseOptions({ path: { knowledge_base_id: document.knowledge_base_id } }));
  const facts = [
    t('knowledge.paragraphCount', { count: document.paragraph_count }),
    document.coverage === null ? null : t('document.covered', { share: formatPercent(document.coverage) }),
    document.file_bytes === null ? null : formatBytes(document.file_bytes),
    formatAgo(document.updated_at),
  ];
  return (
    <>
      <PageHeader
        above={
          <Breadcrumbs mb={6} separator="›">
            <Anchor component={Link} to="/knowledge" size="sm">
              {t('shell.knowledge')}
            </Anchor>
            <Anchor
              component={Link}
              to="/knowledge/$baseId"
              params={{ baseId: document.knowledge_base_id } as never}
              size="sm"
            >
              {base.data?.name ?? '…'}
            </Anchor>
          </Breadcrumbs>
        }
        title={document.name}
        text={
          <Group gap="sm">
            {document.state !== 'ready' && <StateChip document={document} />}
            <Text size="sm">
              <Facts items={facts} />
            </Text>
          </Group>
        }
      >
        {document.has_file && (
          <Button
            component="a"
            href={withWorkspace(`/api/v1/documents/${document.id}/file`)}
            download
            variant="default"
            leftSection={<IconDownload size={17} />}
          >
            {t('knowledge.download')}
          </Button>
        )}
      </PageHeader>
      {document.error && (
        <Alert
          color="red"
          mb="md"
          icon={<IconAlertTriangle size={18} />}
          title={t('knowledge.states.failed')}
        >
          <DocumentFailure error={document.error} />
        </Alert>
      )}
      {document.warnings.length > 0 && (
        <Alert
          color="yellow"
          mb="md"
          icon={<IconAlertTriangle size={18} />}
          title={t('knowledge.warningCount', { count: document.warnings.length })}
        >
          {document.warnings.map((warning) => (
            <Text size="sm" key={`${warning.code}-${warning.page}-${warning.message}`}>
              {warningText(warning)}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
}
