/** Each gate before and after, as judged on the half of the questions it was not fitted on. */
import { Badge, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { GateFit } from '../../../api/generated/types.gen';
import { formatNumber, formatPercent, formatScore } from '../../../i18n/format';

/** Below this the set's own labels hardly part the two kinds. */
const weak = 0.7;

export function FitTable({ fits }: { fits: readonly GateFit[] }) {
  const { t } = useTranslation();
  const found = fits.filter((fit) => !fit.gate.startsWith('drop'));
  return (
    <>
      <Table.ScrollContainer minWidth={520}>
        <Table fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('models.gates.gate')}</Table.Th>
              <Table.Th ta="right">{t('models.gates.threshold')}</Table.Th>
              <Table.Th ta="right">{t('models.gates.auroc')}</Table.Th>
              <Table.Th ta="right">{t('models.gates.balanced')}</Table.Th>
              <Table.Th ta="right">{t('models.gates.questions')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fits.map((fit) => (
              <FitRow key={fit.gate} fit={fit} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {found.some((fit) => fit.auroc < weak) && (
        <Text size="sm" c="orange.8" role="note">
          {t('models.gates.weak')}
        </Text>
      )}
    </>
  );
}

function FitRow({ fit }: { fit: GateFit }) {
  const { t } = useTranslation();
  const write = fit.gate === 'rerank' ? formatNumber : formatScore;
  return (
    <Table.Tr>
      <Table.Td>
        {t(`models.gates.names.${fit.gate}`)}
        {!fit.is_better && (
          <Badge ml={6} color="gray">
            {t('models.gates.notTaken')}
          </Badge>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {t('models.gates.change', {
          before: fit.before === null ? '–' : write(fit.before),
          after: write(fit.after),
        })}
        <Text size="xs" c="dimmed">
          {t('models.gates.between', { low: write(fit.low), high: write(fit.high) })}
        </Text>
      </Table.Td>
      <Table.Td ta="right">{formatScore(fit.auroc)}</Table.Td>
      <Table.Td ta="right">
        {t('models.gates.change', {
          before: formatPercent(fit.balanced_before, 1),
          after: formatPercent(fit.balanced_after, 1),
        })}
        <Text size="xs" c="dimmed">
          {t('models.gates.shares', {
            kept: formatPercent(fit.kept_after),
            refused: formatPercent(fit.turned_down_after),
          })}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {formatNumber(fit.fitted[0] + fit.fitted[1])} / {formatNumber(fit.judged[0] + fit.judged[1])}
      </Table.Td>
    </Table.Tr>
  );
}
