/** Secrets of a tool by name: kept ones are shown as masks and can be replaced or removed. */
import { ActionIcon, Button, Input, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SecretRow } from './pythonValues';
import classes from './Stored.module.css';

interface Props {
  rows: SecretRow[];
  error: ReactNode;
  onChange: (rows: SecretRow[]) => void;
}

export function SecretRows({ rows, error, onChange }: Props) {
  const { t } = useTranslation();
  const set = (index: number, change: Partial<SecretRow>) =>
    onChange(rows.map((row, place) => (place === index ? { ...row, ...change } : row)));
  return (
    <Input.Wrapper
      label={t('storedTools.secrets')}
      description={t('storedTools.secretsHint')}
      error={error}
      labelElement="div"
    >
      <Stack gap="xs" mt={6}>
        {rows.map((row, index) => {
          const number = index + 1;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end, and have no other name
            <div key={index} className={classes.secret}>
              <TextInput
                aria-label={t('storedTools.secretName', { number })}
                placeholder={t('storedTools.secretExample')}
                value={row.name}
                readOnly={row.kept !== null}
                onChange={(event) => set(index, { name: event.currentTarget.value })}
              />
              <PasswordInput
                aria-label={t('storedTools.secretValue', { number })}
                autoComplete="off"
                placeholder={row.kept ? t('tools.form.variableKept', { shown: row.kept }) : ''}
                value={row.value}
                onChange={(event) => set(index, { value: event.currentTarget.value })}
              />
              <ActionIcon
                size="input-sm"
                aria-label={t('storedTools.removeSecret', { number })}
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
          onClick={() => onChange([...rows, { name: '', value: '', kept: null }])}
        >
          {t('storedTools.addSecret')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
