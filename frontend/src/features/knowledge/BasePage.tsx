/** One knowledge base: its documents, the hit test and its settings. */
import { Anchor, Breadcrumbs, Button, Skeleton, Tabs, Text } from '@mantine/core';
import { IconFeather, IconFileExport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getKnowledgeBaseOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import { baseTabs } from '../../app/baseTabs';
import { useCaller } from '../../app/session';
import { Facts } from '../../components/Facts';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { PageProblem } from '../../components/PageProblem';
import { GraphTab } from '../graph/GraphTab';
import { HitTest } from '../hit-test/HitTest';
import { SourcesTab } from '../sources/SourcesTab';
import { TermsTab } from '../terms/TermsTab';
import { BaseSettings } from './BaseSettings';
import { DocumentsTab } from './DocumentsTab';
import { ImportNotice } from './ImportNotice';
import { QuestionsTab } from './QuestionsTab';
import { useBaseEvents } from './useBaseEvents';

export default function BasePage() {
  const { t } = useTranslation();
  const { baseId } = useParams({ from: '/house/knowledge/$baseId' });
  const base = useQuery(getKnowledgeBaseOptions({ path: { knowledge_base_id: baseId } }));
  if (base.error) {
    return (
      <Page>
        <PageProblem error={base.error} room="knowledge" onRetry={base.refetch} />
      </Page>
    );
  }
  if (!base.data) {
    return (
      <Page>
        <Skeleton height={36} width={280} mb="lg" aria-label={t('common.loading')} role="status" />
        <Skeleton height={320} radius="lg" />
      </Page>
    );
  }
  return <Base key={baseId} base={base.data} />;
}

function Base({ base }: { base: KnowledgeBaseView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const { tab: wanted = 'documents', imported } = useSearch({ from: '/house/knowledge/$baseId' });
  const navigate = useNavigate({ from: '/knowledge/$baseId' });
  const tab = wanted === 'settings' && !mayWrite ? 'documents' : wanted;
  useBaseEvents(base.id);
  const { counts } = base;
  const { attention } = counts;
  return (
    <Page>
      <PageHeader
        above={
          <Breadcrumbs mb={6} separator="›">
            <Anchor component={Link} to="/knowledge" size="sm">
              {t('shell.knowledge')}
            </Anchor>
          </Breadcrumbs>
        }
        title={base.name}
        text={
          <>
            {base.description && <div>{base.description}</div>}
            <Text size="sm" c="dimmed">
              <Facts
                items={[
                  t('knowledge.documentCount', { count: counts.documents }),
                  t('knowledge.paragraphCount', { count: counts.paragraphs }),
                  t('knowledge.characterCount', { count: counts.characters }),
                  attention > 0 && t('knowledge.attentionCount', { count: attention }),
                ]}
              />
            </Text>
          </>
        }
      >
        <Button
          variant="light"
          leftSection={<IconFeather size={17} />}
          onClick={() => navigate({ to: '/ask', search: { base: base.id } })}
        >
          {t('knowledge.askBase')}
        </Button>
        {mayWrite && (
          <Button
            component="a"
            href={withWorkspace(`/api/v1/knowledge-bases/${base.id}/export`)}
            download
            variant="default"
            leftSection={<IconFileExport size={17} />}
          >
            {t('knowledge.export')}
          </Button>
        )}
      </PageHeader>
      {(imported || base.import_state) && <ImportNotice baseId={base.id} />}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => {
          const chosen = baseTabs.find((one) => one === value && one !== 'documents');
          navigate({ search: chosen ? { tab: chosen } : {}, replace: true });
        }}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="documents">{t('knowledge.documents')}</Tabs.Tab>
          <Tabs.Tab value="questions">{t('questions.title')}</Tabs.Tab>
          <Tabs.Tab value="terms">{t('terms.title')}</Tabs.Tab>
          <Tabs.Tab value="graph">{t('graph.title')}</Tabs.Tab>
          <Tabs.Tab value="sources">{t('sources.title')}</Tabs.Tab>
          <Tabs.Tab value="hit-test">{t('knowledge.hitTest')}</Tabs.Tab>
          {mayWrite && <Tabs.Tab value="settings">{t('shell.settings')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="documents">
          <DocumentsTab base={base} />
        </Tabs.Panel>
        <Tabs.Panel value="questions">
          <QuestionsTab base={base} />
        </Tabs.Panel>
        <Tabs.Panel value="terms">
          <TermsTab base={base} />
        </Tabs.Panel>
        <Tabs.Panel value="graph">
          <GraphTab base={base} />
        </Tabs.Panel>
        <Tabs.Panel value="sources">
          <SourcesTab base={base} />
        </Tabs.Panel>
        <Tabs.Panel value="hit-test">
          <HitTest base={base} />
        </Tabs.Panel>
        {mayWrite && (
          <Tabs.Panel value="settings">
            <BaseSettings base={base} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Page>
  );
}
