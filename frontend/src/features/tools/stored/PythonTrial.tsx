/** Running the code that is being written, in the sandbox, with arguments that are typed. */
import { Button, Code, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tryPythonTool } from '../../../api/generated/sdk.gen';
import type { StoredToolView } from '../../../api/generated/types.gen';
import { Problem } from '../../../components/Problem';
import classes from '../Tools.module.css';
import { Outcome } from '../TryTool';
import { type PythonValues, pythonFaultsOf, trialOf } from './pythonValues';

interface Props {
  values: PythonValues;
  tool: StoredToolView | null;
}

export function PythonTrial({ values, tool }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('{}');
  const [isFaulty, setFaulty] = useState(false);
  const run = useMutation({
    mutationFn: async (given: Record<string, unknown>) =>
      (await tryPythonTool({ body: { ...trialOf(values, tool), arguments: given }, throwOnError: true }))
        .data,
  });
  const submit = () => {
    const { code, parameters, defaults } = pythonFaultsOf(values);
    try {
      const given: unknown = JSON.parse(typed.trim() || '{}');
      const isGood = typeof given === 'object' && given !== null && !Array.isArray(given);
      setFaulty(!isGood);
      if (isGood && !code && !parameters && !defaults) run.mutate(given as Record<string, unknown>);
    } catch {
      setFaulty(true);
    }
  };
  const printed = run.data?.details.printed;
  return (
    <Stack>
      <Textarea
        label={t('storedTools.python.arguments')}
        description={t('storedTools.python.argumentsHint')}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        error={isFaulty ? t('storedTools.faults.object') : null}
        classNames={{ input: classes.code }}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Group>
        <Button
          variant="light"
          leftSection={<IconPlayerPlay size={16} />}
          loading={run.isPending}
          onClick={submit}
        >
          {t('storedTools.python.run')}
        </Button>
      </Group>
      {run.error && <Problem error={run.error} />}
      {run.data && <Outcome outcome={run.data} />}
      {typeof printed === 'string' && printed && (
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            {t('storedTools.python.printed')}
          </Text>
          <Code block>{printed}</Code>
        </div>
      )}
    </Stack>
  );
}
