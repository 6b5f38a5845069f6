/** What a search looked at: each leg's score on the common scale, and why something was left out. */
import { Anchor, Badge, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { TraceCandidate, TraceLeg } from '../../api/generated/types.gen';
import { formatScore } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';

export function Candidates({ candidates }: { candidates: TraceCandidate[] }) {
  const { t } = useTranslation();
  const why = useWordFor('trace.dropped');
  if (candidates.length === 0) return <Text c="dimmed">{t('trace.noCandidates')}</Text>;
  const leg = (score?: TraceLeg | null) =>
    score ? t('trace.leg', { score: formatScore(score.calibrated), rank: score.rank }) : '—';
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table fz="sm" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('trace.passage')}</Table.Th>
            <Table.Th>{t('knowledge.scores.dense')}</Table.Th>
            <Table.Th>{t('knowledge.scores.lexical')}</Table.Th>
            <Table.Th>{t('trace.rerank')}</Table.Th>
            <Table.Th>{t('hitTest.together')}</Table.Th>
            <Table.Th>{t('trace.decision')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {candidates.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: channels may propose one passage twice
            <Table.Tr key={index}>
              <Table.Td>
                <Anchor
                  component={Link}
                  underline="always"
                  to="/documents/$documentId"
                  params={{ documentId: one.document_id } as never}
                  search={{ paragraph: one.paragraph_id } as never}
                  size="sm"
                >
                  {one.document}
                </Anchor>
                {one.section && (
                  <Text component="span" size="xs" c="dimmed">
                    {' '}
                    {one.section}
                  </Text>
                )}
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {one.text}
                </Text>
              </Table.Td>
              <Table.Td>{leg(one.dense)}</Table.Td>
              <Table.Td>{leg(one.lexical)}</Table.Td>
              <Table.Td>{one.rerank_score == null ? '—' : formatScore(one.rerank_score)}</Table.Td>
              <Table.Td>{formatScore(one.similarity)}</Table.Td>
              <Table.Td>
                {one.dropped ? (
                  <Text component="span" size="xs" c="dimmed">
                    {why(one.dropped) ?? one.dropped}
                  </Text>
                ) : (
                  <Badge size="sm">{t('trace.kept')}</Badge>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
