/** A row a question: what was expected, what came, and whether that is right. */
import { Badge, Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseResultView, ExpectedView } from '../../api/generated/types.gen';
import { formatNumber, formatScore } from '../../i18n/format';
import classes from './HitTest.module.css';
import { isRight } from './results';

/** Rows shown at first: a table of thousands would hold up the page. */
const shownAtFirst = 200;

interface Props {
  first: CaseResultView[];
  second?: CaseResultView[];
  keep: (first: CaseResultView, second: CaseResultView | undefined) => boolean;
}

export function ResultTable({ first, second, keep }: Props) {
  const { t } = useTranslation();
  const [most, setMost] = useState(shownAtFirst);
  const rows = first
    .map((one, index) => ({ one, other: second?.[index] }))
    .filter(({ one, other }) => keep(one, other));
  if (rows.length === 0) return <Text c="dimmed">{t('hitTest.noRows')}</Text>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={t('hitTest.results')}>
        <Table verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('knowledge.testQuestion')}</Table.Th>
              <Table.Th>{t('hitTest.expected')}</Table.Th>
              <Table.Th>{second ? t('hitTest.sides.a') : t('hitTest.outcome')}</Table.Th>
              {second && <Table.Th>{t('hitTest.sides.b')}</Table.Th>}
              {!second && <Table.Th>{t('hitTest.came')}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, most).map(({ one, other }) => (
              <Table.Tr key={one.index}>
                <Table.Td className={classes.question}>{one.question}</Table.Td>
                <Table.Td>
                  <Expected expected={one.expected} />
                </Table.Td>
                <Table.Td>
                  <OutcomeCell result={one} />
                  {second && <Came result={one} />}
                </Table.Td>
                {second && (
                  <Table.Td>
                    {other && <OutcomeCell result={other} />}
                    {other && <Came result={other} />}
                  </Table.Td>
                )}
                {!second && (
                  <Table.Td>
                    <Came result={one} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {rows.length > most && (
        <Button variant="default" onClick={() => setMost(most + shownAtFirst)}>
          {t('common.loadMore')}
        </Button>
      )}
    </>
  );
}

export function Expected({ expected }: { expected: ExpectedView }) {
  const { t } = useTranslation();
  const isEmpty = expected.documents.length + expected.paragraphs.length === 0;
  return (
    <>
      {expected.documents.map((one) => (
        <Text key={one.id} size="sm">
          {one.name}
        </Text>
      ))}
      {expected.paragraphs.map((one) => (
        <Text key={one.id} size="sm">
          {t('hitTest.paragraphOf', { document: one.document_name, number: one.position + 1 })}
        </Text>
      ))}
      {expected.nothing && (
        <Text size="sm" c="dimmed">
          {t('hitTest.expectsNothing')}
        </Text>
      )}
      {expected.unavailable > 0 && (
        <Text size="sm" className={classes.worse}>
          {t('hitTest.unavailable', { count: expected.unavailable })}
        </Text>
      )}
      {expected.unknown.map((name) => (
        <Text key={name} size="sm" className={classes.worse}>
          {t('hitTest.unknown', { name })}
        </Text>
      ))}
      {isEmpty && !expected.nothing && expected.unavailable === 0 && expected.unknown.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('knowledge.noScore')}
        </Text>
      )}
    </>
  );
}

function OutcomeCell({ result }: { result: CaseResultView }) {
  const { t } = useTranslation();
  const color = result.outcome === 'unjudged' ? 'gray' : isRight(result) ? 'lamp' : 'red';
  return (
    <>
      <Badge variant="light" color={color} tt="none">
        {t(`hitTest.outcomes.${result.outcome}`)}
      </Badge>
      <Text size="xs" c="dimmed">
        {result.rank !== null && `${t('hitTest.rank', { rank: formatNumber(result.rank) })} · `}
        {result.dropped_for && `${t(`hitTest.reasonShort.${result.dropped_for}`)} · `}
        {result.error ? result.error : t('hitTest.best', { best: formatScore(result.best) })}
      </Text>
    </>
  );
}

function Came({ result }: { result: CaseResultView }) {
  const { t } = useTranslation();
  const names = [...new Map(result.hits.map((hit) => [hit.document_id, hit])).values()].slice(0, 3);
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('hitTest.nothingCame')}
      </Text>
    );
  }
  return names.map((hit) => (
    <Text key={hit.document_id} size="sm" fw={hit.relevant ? 600 : undefined}>
      {hit.document_name}
    </Text>
  ));
}
