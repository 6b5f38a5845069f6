/** The figures of a comparison, a row a variant. */
import { Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ComparisonFigures, ComparisonView } from '../../api/generated/types.gen';
import { formatNumber, formatPercent } from '../../i18n/format';
import classes from '../hit-test/HitTest.module.css';

const columns = [
  ...(['right', 'recall', 'missed', 'refused_when_not', 'unsupported', 'failed'] as const),
  ...(['p50_ms', 'p95_ms', 'input_tokens', 'output_tokens', 'costs'] as const),
];

export function ComparisonTable({ comparison }: { comparison: ComparisonView }) {
  const { t } = useTranslation();
  const written = (one: ComparisonFigures, name: (typeof columns)[number]) => {
    switch (name) {
      case 'costs':
        return costOf(one) ?? (one.uncosted > 0 ? t('comparing.unknownCost') : '0');
      case 'p50_ms':
      case 'p95_ms':
        return t('comparing.seconds', { value: formatNumber(Math.round(one[name] / 10) / 100) });
      case 'unsupported':
        return `${formatNumber(one.unsupported)} / ${formatNumber(one.sentences)}`;
      case 'failed':
      case 'input_tokens':
      case 'output_tokens':
        return formatNumber(one[name]);
      default: {
        const share = one[name];
        return share === null ? t('knowledge.noScore') : formatPercent(share);
      }
    }
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={t('comparing.title')}>
      <Table verticalSpacing={8} style={{ overflowWrap: 'normal', wordBreak: 'normal' }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('comparing.name')}</Table.Th>
            {columns.map((name) => (
              <Table.Th key={name} ta="right">
                {t(`comparing.figures.${name}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {comparison.variants.map(({ settings, figures }) => (
            <Table.Tr key={settings.name}>
              <Table.Th scope="row">{settings.name}</Table.Th>
              {columns.map((name) => (
                <Table.Td key={name} ta="right" style={{ whiteSpace: 'nowrap' }}>
                  {written(figures, name)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function costOf(one: ComparisonFigures): string | undefined {
  const sums = Object.entries(one.costs).map(
    ([currency, amount]) => `${formatNumber(Number(amount.toPrecision(3)))} ${currency}`,
  );
  return sums.length > 0 ? sums.join(' + ') : undefined;
}
