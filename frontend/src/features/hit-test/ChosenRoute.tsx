/** Which of several bases were searched and why, with the numbers that decided. */
import { Badge, Collapse, Table, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RoutedBaseView, RouteView } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { useProblemWords } from '../../components/useProblemText';
import { formatScore } from '../../i18n/format';
import { useBases } from '../knowledge/useBases';
import classes from './HitTest.module.css';

export function ChosenRoute({ route }: { route: RouteView }) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const [opened, { toggle }] = useDisclosure(false);
  const panel = useId();
  const bases = useBases();
  const names = new Map((bases.data ?? []).map((base) => [base.id, base.name]));
  const searched = route.bases.filter((base) => base.is_searched).length;
  return (
    <section className={classes.route}>
      <UnstyledButton className={classes.fold} onClick={toggle} aria-expanded={opened} aria-controls={panel}>
        {opened ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        {t('hitTest.routeTitle', { searched, all: route.bases.length })}
      </UnstyledButton>
      {route.warning && (
        <Text size="sm" mt={4}>
          {t('hitTest.routeFailed')} {wordsOf(new ProblemError(0, { code: route.warning })).message}
        </Text>
      )}
      <Collapse expanded={opened} id={panel}>
        <Text size="xs" c="dimmed" my={6}>
          {t('hitTest.routeText')}
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={classes.scroll} tabIndex={0} aria-label={t('hitTest.bases')}>
          <Table verticalSpacing={6} fz="sm">
            <Table.Thead style={{ whiteSpace: 'nowrap' }}>
              <Table.Tr>
                <Table.Th>{t('hitTest.routeBase')}</Table.Th>
                <Table.Th>{t('hitTest.routeReason')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.routeScore')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.routeNearness')}</Table.Th>
                <Table.Th ta="right">{t('hitTest.routeWords')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {route.bases.map((base) => (
                <Row key={base.knowledge_base_id} base={base} name={names.get(base.knowledge_base_id)} />
              ))}
            </Table.Tbody>
          </Table>
        </section>
      </Collapse>
    </section>
  );
}

function Row({ base, name }: { base: RoutedBaseView; name: string | undefined }) {
  const { t } = useTranslation();
  const write = (value: number | null) => (value === null ? t('knowledge.noScore') : formatScore(value));
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {name ?? base.knowledge_base_id.slice(0, 8)}
      </Table.Th>
      <Table.Td>
        <Badge size="sm" variant="light" color={base.is_searched ? 'lamp' : 'gray'}>
          {base.is_searched ? t('hitTest.searched') : t('hitTest.leftOut')}
        </Badge>{' '}
        {t(`hitTest.routeReasons.${base.reason}`)}
      </Table.Td>
      {[base.score, base.nearness, base.words].map((value, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change their order
        <Table.Td key={column} className={classes.number}>
          {write(value)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
