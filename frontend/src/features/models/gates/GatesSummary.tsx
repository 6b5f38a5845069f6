/** The gates in force for a model, in a line on its card, and the way to where they are fitted. */
import { Anchor, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import type { ModelView } from '../../../api/generated/types.gen';
import { Facts } from '../../../components/Facts';
import { formatDate, formatNumber, formatScore } from '../../../i18n/format';
import { GatesDialog } from './GatesDialog';

interface Props {
  model: ModelView;
  mayManage: boolean;
}

export function GatesSummary({ model, mayManage }: Props) {
  const { t } = useTranslation();
  const [opened, dialog] = useDisclosure(false);
  if (model.kind === 'LLM') return null;
  const gates = model.gates;
  const facts = gates
    ? [
        gates.both && t('models.gates.from', { value: formatScore(gates.both.balance) }),
        gates.least_score !== null &&
          gates.least_score !== undefined &&
          t('models.gates.leastScore', { value: formatNumber(gates.least_score) }),
        gates.record.set_name,
        formatDate(gates.record.fitted_at),
      ]
    : [t('models.gates.default')];
  return (
    <Text size="xs" c="dimmed">
      <Facts items={facts} />{' '}
      {(gates || mayManage) && (
        <Anchor
          component="button"
          type="button"
          fz="xs"
          onClick={dialog.open}
          aria-label={t('models.gates.openNamed', { name: model.name })}
        >
          {t('models.gates.open')}
        </Anchor>
      )}
      <GatesDialog model={model} mayManage={mayManage} opened={opened} onClose={dialog.close} />
    </Text>
  );
}
