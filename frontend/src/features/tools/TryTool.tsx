/** Trying a tool: a form of its parameters, a real call, its result. */
import {
  Alert,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callTool } from '../../api/generated/sdk.gen';
import type { ToolOutcome } from '../../api/generated/types.gen';
import { SideSheet } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { ToldFault } from '../../components/ToldFault';
import { formatNumber } from '../../i18n/format';
import { argumentsOf, type Parameter, parametersOf } from './parameters';
import classes from './Tools.module.css';

export interface TriedTool {
  id: string;
  title: string;
  description: string;
  parameters: unknown;
  readOnly: boolean;
}

interface Props {
  tool: TriedTool | null;
  opened: boolean;
  onClose: () => void;
}

export function TryTool({ tool, opened, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <SideSheet
      opened={opened}
      onClose={onClose}
      size={520}
      title={t('tools.try.title', { name: tool?.title ?? '' })}
    >
      {opened && tool && <Form key={tool.id} tool={tool} />}
    </SideSheet>
  );
}

function Form({ tool }: { tool: TriedTool }) {
  const { t } = useTranslation();
  const parameters = parametersOf(tool.parameters);
  const [typed, setTyped] = useState<Record<string, string>>(
    Object.fromEntries(parameters.map((one) => [one.name, one.initial])),
  );
  const [fault, setFault] = useState<string | null>(null);
  const call = useMutation({
    mutationFn: async (given: Record<string, unknown>) =>
      (await callTool({ body: { tool: tool.id, arguments: given }, throwOnError: true })).data,
  });
  const submit = () => {
    const read = argumentsOf(parameters, typed);
    setFault(read.ok ? null : read.name);
    if (read.ok) call.mutate(read.value);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        {tool.description && <Text size="sm">{tool.description}</Text>}
        {!tool.readOnly && (
          <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
            {t('tools.try.warning')}
          </Alert>
        )}
        {parameters.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('tools.tool.noParameters')}
          </Text>
        )}
        {parameters.map((one) => (
          <Field
            key={one.name}
            parameter={one}
            value={typed[one.name] ?? ''}
            error={fault === one.name ? t('tools.try.valueFault', { type: one.kind }) : null}
            onChange={(value) => setTyped((before) => ({ ...before, [one.name]: value }))}
          />
        ))}
        <Group justify="flex-end">
          <Button type="submit" loading={call.isPending} leftSection={<IconPlayerPlay size={16} />}>
            {tool.readOnly ? t('tools.try.call') : t('tools.try.callChanging')}
          </Button>
        </Group>
        {call.error && <Problem error={call.error} />}
        {call.data && <Outcome outcome={call.data} />}
      </Stack>
    </form>
  );
}

export function Outcome({ outcome }: { outcome: ToolOutcome }) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('tools.try.result')} aria-live="polite">
      <Text size="sm" c="dimmed" mb={6}>
        {t('tools.try.took', { ms: formatNumber(Math.round(outcome.elapsed_ms)) })}{' '}
        {outcome.truncated && t('tools.try.cut')}
      </Text>
      {outcome.fault && <ToldFault code={outcome.fault.code} message={outcome.fault.message} />}
      {!outcome.fault && (
        <Textarea
          readOnly
          autosize
          maxRows={18}
          label={t('tools.try.result')}
          classNames={{ input: classes.code }}
          value={outcome.text || t('tools.try.empty')}
        />
      )}
    </section>
  );
}

interface FieldProps {
  parameter: Parameter;
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}

function Field({ parameter, value, error, onChange }: FieldProps) {
  const shared = {
    label: parameter.label,
    description: parameter.description || undefined,
    required: parameter.required,
    error,
  };
  switch (parameter.kind) {
    case 'choice':
      return (
        <Select
          {...shared}
          data={parameter.choices}
          clearable={!parameter.required}
          value={value || null}
          onChange={(chosen) => onChange(chosen ?? '')}
        />
      );
    case 'boolean':
      return (
        <Checkbox
          label={parameter.label}
          description={parameter.description || undefined}
          checked={value === 'true'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'true' : 'false')}
        />
      );
    case 'number':
      return <NumberInput {...shared} value={value} onChange={(typed) => onChange(String(typed))} />;
    case 'json':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          classNames={{ input: classes.code }}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput {...shared} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      );
  }
}
