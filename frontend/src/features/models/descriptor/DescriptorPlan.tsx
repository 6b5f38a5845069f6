/** What taking descriptors in would do, or what stands in the way, line by line. */
import { Alert, Badge, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DescriptorPlan as Plan, PlannedModel } from '../../../api/generated/types.gen';
import { useWordFor } from '../../../i18n/useWordFor';

const shownProblems = 20;

interface Props {
  plan: Plan;
  /** Puts the cursor into a line of the text. */
  onLine: (line: number) => void;
}

export function DescriptorPlan({ plan, onLine }: Props) {
  const { t } = useTranslation();
  const wordFor = useWordFor('models.yaml.faults');
  if (plan.problems.length > 0) {
    return (
      <Alert
        color="red"
        role="status"
        icon={<IconAlertTriangle size={18} />}
        title={t('models.yaml.problems', { count: plan.problems.length })}
      >
        <List size="sm" spacing={4}>
          {plan.problems.slice(0, shownProblems).map((one) => (
            <List.Item key={`${one.document} ${one.line} ${one.field} ${one.message}`}>
              <Text
                component="button"
                type="button"
                size="sm"
                ta="left"
                td="underline"
                style={{ background: 'none', border: 0, padding: 0, cursor: 'pointer' }}
                onClick={() => onLine(one.line)}
              >
                {t('models.yaml.line', { line: one.line })}
              </Text>{' '}
              {one.field && <b>{one.field}</b>} {wordFor(one.code ?? '', one.facts) ?? one.message}
            </List.Item>
          ))}
        </List>
      </Alert>
    );
  }
  return (
    <Alert role="status" icon={<IconCircleCheck size={18} />} title={t('models.yaml.valid')}>
      <Stack gap={6}>
        {plan.models.map((model) => (
          <Planned key={model.document} model={model} />
        ))}
      </Stack>
    </Alert>
  );
}

function Planned({ model }: { model: PlannedModel }) {
  const { t } = useTranslation();
  const wordFor = useWordFor('models.yaml.faults');
  const fields = model.changes.map((change) => change.field).join(t('common.comma'));
  return (
    <div>
      <Group gap={6}>
        <Text size="sm" fw={600}>
          {model.model_id}
        </Text>
        <Badge color={model.action === 'unchanged' ? 'gray' : undefined}>
          {t(`models.yaml.actions.${model.action}`)}
        </Badge>
      </Group>
      {fields && <Text size="sm">{t('models.yaml.changes', { fields })}</Text>}
      {model.needs_key && <Text size="sm">{t('models.yaml.needsKey')}</Text>}
      {model.calls_vendor && <Text size="sm">{t('models.yaml.callsVendor')}</Text>}
      {model.notes?.map((note) => (
        <Text key={note.message} size="sm">
          {wordFor(note.code, note.facts) ?? note.message}
        </Text>
      ))}
    </div>
  );
}
