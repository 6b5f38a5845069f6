/** All test sets of the workspace, with how they last did. */
import { Button, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChecklist, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listTestSetsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { listTestSets } from '../../api/generated/sdk.gen';
import type { TestSetView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { LoadMore } from '../../components/LoadMore';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useCursorList } from '../../components/useCursorList';
import { formatAgo, formatNumber, formatPercent } from '../../i18n/format';
import classes from '../hit-test/HitTest.module.css';
import { NewTestSet } from './NewTestSet';

/** What the server gives at once. */
const query = { limit: 200 };

export default function TestSetsPage() {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const [creating, create] = useDisclosure(false);
  const sets = useCursorList(listTestSetsQueryKey({ query }), (cursor, signal) =>
    listTestSets({ query: { ...query, ...cursor }, signal, throwOnError: true }),
  );
  const items = sets.items;
  return (
    <Page>
      <PageHeader title={t('testSets.title')} text={t('testSets.intro')}>
        {mayWrite && (
          <Button leftSection={<IconPlus size={17} />} onClick={create.open}>
            {t('testSets.new')}
          </Button>
        )}
      </PageHeader>
      {sets.isPending && <Skeletons rows={4} />}
      {sets.error && <Problem error={sets.error} onRetry={sets.refetch} />}
      {sets.data && items.length === 0 && (
        <EmptyState
          icon={<IconChecklist size={30} />}
          title={t('testSets.none')}
          text={t('testSets.noneText')}
        />
      )}
      {items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className={classes.scroll} tabIndex={0} aria-label={t('testSets.title')}>
          <Table verticalSpacing={10} highlightOnHover>
            <Table.Thead style={{ whiteSpace: 'nowrap' }}>
              <Table.Tr>
                <Table.Th>{t('common.name')}</Table.Th>
                <Table.Th>{t('hitTest.bases')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.questions')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.figures.hit_at_5')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.figures.refused_when_not')}</Table.Th>
                <Table.Th>{t('testSets.lastRun')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((one) => (
                <Row key={one.id} set={one} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
      <LoadMore list={sets} />
      <NewTestSet opened={creating} onClose={create.close} />
    </Page>
  );
}

function Row({ set }: { set: TestSetView }) {
  const { t } = useTranslation();
  const share = (value: number | null | undefined) =>
    value === null || value === undefined ? t('knowledge.noScore') : formatPercent(value, 1);
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/test-sets/$setId" params={{ setId: set.id }} className={classes.name}>
          {set.name}
        </Link>
      </Table.Td>
      <Table.Td>
        {set.knowledge_bases.map((base) => base.name).join(', ')}
        {set.missing_bases > 0 && (
          <Text size="sm" className={classes.worse}>
            {t('testSets.missingBases', { count: set.missing_bases })}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{formatNumber(set.question_count)}</Table.Td>
      <Table.Td ta="right">{share(set.last_run?.totals.hit_at_5)}</Table.Td>
      <Table.Td ta="right">{share(set.last_run?.totals.refused_when_not)}</Table.Td>
      <Table.Td>{set.last_run ? formatAgo(set.last_run.created_at) : t('testSets.never')}</Table.Td>
    </Table.Tr>
  );
}
