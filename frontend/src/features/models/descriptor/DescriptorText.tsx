/** YAML that is checked while it is written, and taken in when nothing stands in the way. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { DescriptorPlan as Plan } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import { DescriptorPlan } from './DescriptorPlan';

const settleMs = 400;

interface Props {
  text: string;
  onText: (text: string) => void;
  /** What tells one check from another beside the text. */
  checkKey: readonly unknown[];
  check: (text: string) => Promise<Plan>;
  save: (text: string) => Promise<unknown>;
  onSaved: () => void;
  saveLabel: string;
  onCancel: () => void;
}

export function DescriptorText({ text, onText, checkKey, check, save, onSaved, saveLabel, onCancel }: Props) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const [settled] = useDebouncedValue(text, settleMs);
  const checked = useQuery({
    queryKey: ['descriptor-check', ...checkKey, settled],
    queryFn: () => check(settled),
    enabled: settled.trim() !== '',
    retry: false,
    placeholderData: (before) => before,
  });
  const saving = useMutation({ mutationFn: () => save(text), onSuccess: onSaved });
  const plan = settled.trim() === '' ? undefined : checked.data;
  const changesNothing = plan?.models.every((one) => one.action === 'unchanged') ?? true;
  const goTo = (line: number) => {
    const start =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0);
    const end = text.indexOf('\n', start);
    area.current?.focus();
    area.current?.setSelectionRange(start, end === -1 ? text.length : end);
  };
  return (
    <Stack>
      <Textarea
        ref={area}
        label={t('models.yaml.label')}
        description={t('models.yaml.hint')}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        autosize
        minRows={14}
        maxRows={26}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      {checked.isFetching && !plan && <Text size="sm">{t('common.loading')}</Text>}
      {checked.error ? (
        <Problem error={checked.error} />
      ) : (
        plan && <DescriptorPlan plan={plan} onLine={goTo} />
      )}
      {saving.error && <Problem error={saving.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button
          loading={saving.isPending}
          disabled={
            text !== settled || !!checked.error || !plan || plan.problems.length > 0 || changesNothing
          }
          onClick={() => saving.mutate()}
        >
          {saveLabel}
        </Button>
      </Group>
    </Stack>
  );
}
