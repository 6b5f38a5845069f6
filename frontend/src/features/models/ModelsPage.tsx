/** The models of the workspace, by kind, each with its health in words. */
import { Button, Menu, SimpleGrid, Text, Title } from '@mantine/core';
import { IconCpu, IconFileCode, IconHeartbeat, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { DescriptorImport } from './descriptor/DescriptorImport';
import { kinds, mainKinds } from './kinds';
import { ModelCard } from './ModelCard';
import { type Editing, ModelDrawer } from './ModelDrawer';

export default function ModelsPage() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const [editing, setEditing] = useState<Editing | null>(null);
  const [isImporting, setImporting] = useState(false);
  const models = useQuery(listModelsOptions());
  const items = models.data?.items ?? [];
  return (
    <Page>
      <PageHeader title={t('shell.models')} text={t('models.intro')}>
        <Button
          component={Link}
          to="/models/health"
          variant="default"
          leftSection={<IconHeartbeat size={17} />}
        >
          {t('policies.open')}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" leftSection={<IconFileCode size={17} />}>
              {t('models.yaml.menu')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item component="a" href={withWorkspace('/api/v1/model-descriptors')} download>
              {t('models.yaml.export')}
            </Menu.Item>
            {mayManage && <Menu.Item onClick={() => setImporting(true)}>{t('models.yaml.import')}</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
        {mayManage && (
          <Button
            leftSection={<IconPlus size={17} />}
            onClick={() => setEditing({ kind: null, model: null })}
          >
            {t('models.add')}
          </Button>
        )}
      </PageHeader>
      {models.isPending && <Skeletons rows={3} height={120} />}
      {models.error && <Problem error={models.error} onRetry={models.refetch} />}
      {models.data &&
        kinds.map((kind) => {
          const ofKind = items.filter((model) => model.kind === kind);
          if (ofKind.length === 0 && !mainKinds.includes(kind)) return null;
          return (
            <section key={kind} aria-labelledby={`kind-${kind}`}>
              <Title order={2} size="h5" id={`kind-${kind}`} mt="lg" mb={2}>
                {t(`models.kinds.${kind}`)}
              </Title>
              <Text size="sm" c="dimmed" mb="md">
                {t(`models.kindHint.${kind}`)}
              </Text>
              {ofKind.length === 0 ? (
                <div className="rd-card">
                  <EmptyState
                    icon={<IconCpu size={28} />}
                    title={t('models.noneTitle')}
                    text={mayManage ? t('models.noneText') : t('models.noneTextOthers')}
                  >
                    {mayManage && (
                      <Button variant="light" onClick={() => setEditing({ kind, model: null })}>
                        {t('models.connect')}
                      </Button>
                    )}
                  </EmptyState>
                </div>
              ) : (
                <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
                  {ofKind.map((model) => (
                    <ModelCard
                      key={model.id}
                      model={model}
                      mayManage={mayManage}
                      onEdit={() => setEditing({ kind, model })}
                    />
                  ))}
                </SimpleGrid>
              )}
            </section>
          );
        })}
      <ModelDrawer editing={editing} onClose={() => setEditing(null)} />
      <DescriptorImport opened={isImporting} onClose={() => setImporting(false)} />
    </Page>
  );
}
