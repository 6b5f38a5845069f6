/** What the source chooser opens: knowledge bases to tick, applications to pick. Loaded when it is opened. */
import { Checkbox, Radio, ScrollArea, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Sources, useSourceChoices } from './sources';

interface Props {
  value: Sources;
  onChange: (sources: Sources) => void;
}

export default function SourceChoices({ value, onChange }: Props) {
  const { t } = useTranslation();
  const { bases, applications } = useSourceChoices();
  const toggle = (id: string, checked: boolean) => {
    const ids = value.kind === 'bases' ? value.ids : [];
    const next = checked ? [...ids, id] : ids.filter((other) => other !== id);
    onChange(next.length === 0 ? { kind: 'all' } : { kind: 'bases', ids: next });
  };
  return (
    <ScrollArea.Autosize mah={360} type="auto">
      <Stack gap="xs" p={4}>
        <Text size="xs" fw={600} c="dimmed">
          {t('shell.knowledge')}
        </Text>
        <Checkbox
          autoFocus
          label={t('ask.allBases')}
          checked={value.kind === 'all'}
          onChange={() => onChange({ kind: 'all' })}
        />
        {bases.map((base) => (
          <Checkbox
            key={base.id}
            label={base.name}
            checked={value.kind === 'bases' && value.ids.includes(base.id)}
            onChange={(event) => toggle(base.id, event.currentTarget.checked)}
          />
        ))}
        {applications.length > 0 && (
          <Radio.Group
            value={value.kind === 'application' ? value.id : null}
            onChange={(id) => onChange({ kind: 'application', id })}
            aria-label={t('shell.applications')}
          >
            <Text size="xs" fw={600} c="dimmed" mt="xs" mb="xs">
              {t('shell.applications')}
            </Text>
            <Stack gap="xs">
              {applications.map((application) => (
                <Radio key={application.id} value={application.id} label={application.name} />
              ))}
            </Stack>
          </Radio.Group>
        )}
      </Stack>
    </ScrollArea.Autosize>
  );
}
