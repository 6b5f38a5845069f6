/** Values that a tool still needs. What was typed stays when it is refused. */
import { Button, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormField } from '../../../api/generated/types.gen';
import { emptyValue, missingIn, sentValues, type Values } from './fieldValues';
import type { FormPartProps } from './RunForm';

export function Fields({ form, open, pending, reply, onReply }: FormPartProps) {
  const { t } = useTranslation();
  const fields = form.fields ?? [];
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map((field) => [field.name, field.value ?? emptyValue(field)])),
  );
  const [tried, setTried] = useState(false);
  const missing = missingIn(fields, values);
  const shown = reply?.fields ? { ...values, ...reply.fields } : values;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing.length === 0) onReply({ fields: sentValues(fields, values) });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={shown[field.name]}
            disabled={!open || pending}
            error={tried && missing.includes(field.name) ? t('ask.form.needed') : undefined}
            onChange={(value) => setValues((known) => ({ ...known, [field.name]: value }))}
          />
        ))}
        {open && (
          <Group>
            <Button type="submit" loading={pending}>
              {t('ask.form.send')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

interface FieldProps {
  field: FormField;
  value: unknown;
  disabled: boolean;
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function Field({ field, value, disabled, error, onChange }: FieldProps) {
  const label = field.label || field.name;
  const common = { label, description: field.description, disabled, error, withAsterisk: field.required };
  if (field.enum) {
    const data = field.enum.map(String);
    return (
      <Select {...common} data={data} value={value == null ? null : String(value)} onChange={onChange} />
    );
  }
  if (field.type === 'boolean')
    return (
      <Checkbox
        label={label}
        description={field.description}
        disabled={disabled}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (field.type === 'integer' || field.type === 'number')
    return (
      <NumberInput
        {...common}
        value={typeof value === 'number' ? value : ''}
        allowDecimal={field.type === 'number'}
        onChange={onChange}
      />
    );
  return (
    <TextInput {...common} value={String(value ?? '')} onChange={(e) => onChange(e.currentTarget.value)} />
  );
}
