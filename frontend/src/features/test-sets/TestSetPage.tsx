/** One test set: its questions, running it, and how earlier runs did. */
import { ActionIcon, Anchor, Breadcrumbs, Menu, Skeleton, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconFileExport, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { getTestSetOptions } from '../../api/generated/@tanstack/react-query.gen';
import { deleteTestSet } from '../../api/generated/sdk.gen';
import type { TestSetView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Facts } from '../../components/Facts';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { TestSetComparisons } from '../comparing/TestSetComparisons';
import { RenameTestSet } from './RenameTestSet';
import { TestSetHistory } from './TestSetHistory';
import { TestSetQuestions } from './TestSetQuestions';
import { TestSetRun } from './TestSetRun';

export default function TestSetPage() {
  const { t } = useTranslation();
  const { setId } = useParams({ from: '/house/test-sets/$setId' });
  const set = useQuery(getTestSetOptions({ path: { test_set_id: setId } }));
  return (
    <Page>
      {set.error && <Problem error={set.error} onRetry={set.refetch} />}
      {set.isPending && <Skeleton height={320} radius="lg" aria-label={t('common.loading')} role="status" />}
      {set.data && <Loaded key={setId} set={set.data} />}
    </Page>
  );
}

function Loaded({ set }: { set: TestSetView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [deleting, remove] = useDisclosure(false);
  const [renaming, rename] = useDisclosure(false);
  const exported = (format: string) => withWorkspace(`/api/v1/test-sets/${set.id}/export?format=${format}`);
  return (
    <>
      <PageHeader
        above={
          <Breadcrumbs mb={6} separator="›">
            <Anchor component={Link} to="/test-sets" size="sm">
              {t('testSets.title')}
            </Anchor>
          </Breadcrumbs>
        }
        title={set.name}
        text={
          <Text size="sm" c="dimmed">
            <Facts
              items={[
                t('testSets.questionCount', { count: set.question_count }),
                set.knowledge_bases.map((base) => base.name).join(', '),
                set.missing_bases > 0 && t('testSets.missingBases', { count: set.missing_bases }),
              ]}
            />
          </Text>
        }
      >
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon size={36} variant="default" aria-label={t('common.more')}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component="a"
              href={exported('csv')}
              download
              leftSection={<IconFileExport size={16} />}
            >
              {t('testSets.exportAs', { format: 'CSV' })}
            </Menu.Item>
            <Menu.Item
              component="a"
              href={exported('jsonl')}
              download
              leftSection={<IconFileExport size={16} />}
            >
              {t('testSets.exportAs', { format: 'JSONL' })}
            </Menu.Item>
            {mayWrite && (
              <>
                <Menu.Item leftSection={<IconPencil size={16} />} onClick={rename.open}>
                  {t('common.edit')}
                </Menu.Item>
                <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove.open}>
                  {t('common.delete')}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </PageHeader>
      <Tabs defaultValue="questions">
        <Tabs.List mb="lg">
          <Tabs.Tab value="questions">{t('hitTest.questions')}</Tabs.Tab>
          <Tabs.Tab value="run">{t('testSets.run')}</Tabs.Tab>
          {mayWrite && <Tabs.Tab value="compare">{t('comparing.tab')}</Tabs.Tab>}
          <Tabs.Tab value="history">{t('testSets.history')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="questions">
          <TestSetQuestions set={set} mayWrite={mayWrite} />
        </Tabs.Panel>
        <Tabs.Panel value="run">
          <TestSetRun set={set} />
        </Tabs.Panel>
        {mayWrite && (
          <Tabs.Panel value="compare" keepMounted={false}>
            <TestSetComparisons set={set} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="history">
          <TestSetHistory setId={set.id} />
        </Tabs.Panel>
      </Tabs>
      {renaming && <RenameTestSet set={set} onClose={rename.close} />}
      <ConfirmDelete
        opened={deleting}
        onClose={remove.close}
        name={set.name}
        title={t('testSets.delete')}
        loss={t('testSets.deleteLoss', { count: set.question_count })}
        onConfirm={async () => {
          await deleteTestSet({ path: { test_set_id: set.id }, throwOnError: true });
          await navigate({ to: '/test-sets' });
          await client.invalidateQueries();
        }}
      />
    </>
  );
}
