/** Both indexes on the base's test questions, side by side. */
import { Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import { compareIndexBuild } from '../../api/generated/sdk.gen';
import type { IndexBuildView, LegFigures } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { formatNumber, formatPercent } from '../../i18n/format';

interface Props {
  build: IndexBuildView;
  nameOf: (modelId: string | null | undefined) => string;
  onChanged: () => Promise<void>;
}

export function ComparisonTable({ build, nameOf, onChanged }: Props) {
  const { t } = useTranslation();
  const again = useMutation({
    mutationFn: () =>
      compareIndexBuild({
        path: { knowledge_base_id: build.knowledge_base_id, build_id: build.id },
        throwOnError: true,
      }),
    onSuccess: onChanged,
  });
  const found = build.comparison;
  const error = found?.error as { code: string; reason: string; hint?: string } | null | undefined;
  const row = (label: string, figures: LegFigures) => (
    <Table.Tr>
      <Table.Td>{label}</Table.Td>
      <Table.Td ta="right">{formatPercent(figures.hit_at_5, 1)}</Table.Td>
      <Table.Td ta="right">{figures.ndcg_at_10.toFixed(3)}</Table.Td>
      <Table.Td ta="right">
        {t('ask.milliseconds', { ms: formatNumber(Math.round(figures.p50_ms)) })}
      </Table.Td>
    </Table.Tr>
  );
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {t('rebuilding.comparison')}
        </Text>
        <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          {t('rebuilding.compareAgain')}
        </Button>
      </Group>
      {again.error && <Problem error={again.error} />}
      {!found && (
        <Text size="sm" c="dimmed">
          {t('rebuilding.comparing')}
        </Text>
      )}
      {error && <Problem error={new ProblemError(502, { ...error, detail: error.reason })} />}
      {found && found.questions === 0 && (
        <Text size="sm" c="dimmed">
          {t('rebuilding.noQuestions')}
        </Text>
      )}
      {found && found.modes.length > 0 && (
        <>
          <Text size="xs" c="dimmed">
            {t('rebuilding.comparisonOf', { count: found.questions, attached: found.attached })}{' '}
            {found.available > found.questions && t('rebuilding.sampled', { available: found.available })}
          </Text>
          <ScrollArea type="auto" offsetScrollbars>
            <Table miw={300} fz="sm" horizontalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('rebuilding.index')}</Table.Th>
                  <Table.Th ta="right">{t('rebuilding.hit')}</Table.Th>
                  <Table.Th ta="right">{t('rebuilding.ndcg')}</Table.Th>
                  <Table.Th ta="right">{t('rebuilding.time')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {found.modes.map((mode) => (
                  <Fragment key={mode.mode}>
                    <Table.Tr>
                      <Table.Td colSpan={4} c="dimmed" fz="xs">
                        {t(`rebuilding.modes.${mode.mode as 'blend' | 'embedding'}`)} —{' '}
                        {t('rebuilding.only', {
                          first: nameOf(found.active_model_id),
                          active: mode.only_active,
                          second: nameOf(found.other_model_id),
                          other: mode.only_other,
                          share: formatPercent(mode.disagreement),
                        })}
                      </Table.Td>
                    </Table.Tr>
                    {row(nameOf(found.active_model_id), mode.active)}
                    {row(nameOf(found.other_model_id), mode.other)}
                  </Fragment>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollArea>
        </>
      )}
    </Stack>
  );
}
