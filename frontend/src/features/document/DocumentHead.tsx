/** The name of a document, how it stands, what is wrong with it, and what can be done with it as a whole. */
import { Alert, Anchor, Badge, Breadcrumbs, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload, IconHistory, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getKnowledgeBaseOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { Facts } from '../../components/Facts';
import { PageHeader } from '../../components/PageHeader';
import { formatAgo, formatBytes, formatPercent } from '../../i18n/format';
import { StateChip } from '../knowledge/StateChip';
import { DocumentFailureNotice } from './DocumentFailureNotice';
import { DocumentMenu } from './DocumentMenu';
import { DocumentWarnings } from './DocumentWarnings';

export function DocumentHead({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/documents/$documentId' });
  const base = useQuery(getKnowledgeBaseOptions({ path: { knowledge_base_id: document.knowledge_base_id } }));
  const open = (panel: 'versions' | 'details') => navigate({ search: (known) => ({ ...known, panel }) });
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
            {!document.is_active && <Badge color="gray">{t('document.inactive')}</Badge>}
            {document.hit_handling === 'directly_return' && <Badge>{t('details.direct')}</Badge>}
            <Text size="sm" component="span">
              <Facts
                items={[
                  t('knowledge.paragraphCount', { count: document.paragraph_count }),
                  document.coverage !== null &&
                    t('document.covered', { share: formatPercent(document.coverage, 1) }),
                  document.file_bytes !== null && formatBytes(document.file_bytes),
                  formatAgo(document.updated_at),
                ]}
              />
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
        <Button variant="default" leftSection={<IconHistory size={17} />} onClick={() => open('versions')}>
          {t('versions.button', { version: document.version })}
        </Button>
        <Button variant="default" leftSection={<IconInfoCircle size={17} />} onClick={() => open('details')}>
          {t('details.title')}
        </Button>
        <DocumentMenu document={document} />
      </PageHeader>
      {document.error && <DocumentFailureNotice document={document} error={document.error} />}
      {document.warnings.length > 0 && (
        <Alert
          color="yellow"
          mb="md"
          icon={<IconAlertTriangle size={18} />}
          title={t('knowledge.warningCount', { count: document.warnings.length })}
        >
          <DocumentWarnings document={document} />
        </Alert>
      )}
    </>
  );
}
