/** The variables of a server: values for `${NAME}`, secret ones kept sealed. */
import { ActionIcon, Button, Input, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { VariableKind, VariableRow } from './lines';
import classes from './Tools.module.css';

interface Props {
  rows: VariableRow[];
  onChange: (rows: VariableRow[]) => void;
}

const kinds: VariableKind[] = ['secret', 'plain', 'personal'];

export function VariableFields({ rows, onChange }: Props) {
  const { t } = useTranslation();
  const set = (index: number, change: Partial<VariableRow>) =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...change } : row)));
  return (
    <Input.Wrapper
      label={t('tools.form.variables')}
      description={t('tools.form.variablesHint')}
      labelElement="div"
    >
      <Stack gap="xs" mt={6}>
        {rows.map((row, index) => {
          const number = index + 1;
          const value = {
            'aria-label': t('tools.form.variableValue', { number }),
            value: row.value,
            autoComplete: 'off',
            disabled: row.kind === 'personal',
            placeholder: row.kept ? t('tools.form.variableKept', { shown: row.kept }) : '',
            onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
              set(index, { value: event.currentTarget.value }),
          };
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end, and have no other name
            <div key={index} className={classes.variable}>
              <TextInput
                aria-label={t('tools.form.variableName', { number })}
                placeholder={t('tools.form.variableExample')}
                value={row.name}
                onChange={(event) => set(index, { name: event.currentTarget.value, kept: null })}
              />
              {row.kind === 'plain' ? <TextInput {...value} /> : <PasswordInput {...value} />}
              <Select
                w={140}
                aria-label={t('tools.form.variableKind', { number })}
                allowDeselect={false}
                data={kinds.map((kind) => ({ value: kind, label: t(`tools.form.variableKinds.${kind}`) }))}
                value={row.kind}
                onChange={(kind) => set(index, { kind: kinds.find((one) => one === kind) ?? 'secret' })}
              />
              <ActionIcon
                size="input-sm"
                aria-label={t('tools.form.removeVariable', { number })}
                onClick={() => onChange(rows.filter((_, place) => place !== index))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </div>
          );
        })}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...rows, { name: '', value: '', kind: 'secret', kept: null }])}
        >
          {t('tools.form.addVariable')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
