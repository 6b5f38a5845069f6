/** The caller's own credentials for a server that wants some of each person. */
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteOwnToolValues, setOwnToolValues } from '../../api/generated/sdk.gen';
import type { ToolServerView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

interface Props {
  server: ToolServerView;
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

export function OwnValues(props: Props) {
  const { t } = useTranslation();
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('tools.own.title', { name: props.server.name })}
    >
      {props.opened && <Form {...props} />}
    </Dialog>
  );
}

function Form({ server, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [values, setValues] = useState<Record<string, string>>({});
  const path = { server_id: server.id };
  const done = async () => {
    onClose();
    await onDone();
  };
  const save = useMutation({
    mutationFn: () => {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
      return setOwnToolValues({ path, body: { values: given }, throwOnError: true });
    },
    onSuccess: done,
  });
  const forget = useMutation({
    mutationFn: () => deleteOwnToolValues({ path, throwOnError: true }),
    onSuccess: done,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('tools.own.text')}</Text>
        {server.variables
          .filter((variable) => variable.is_per_user)
          .map((variable) => (
            <PasswordInput
              key={variable.name}
              label={variable.name}
              autoComplete="off"
              value={values[variable.name] ?? ''}
              onChange={(event) => {
                const typed = event.currentTarget.value;
                setValues((before) => ({ ...before, [variable.name]: typed }));
              }}
            />
          ))}
        {(save.error ?? forget.error) && <Problem error={save.error ?? forget.error} />}
        <Group justify="space-between">
          {server.has_own_values ? (
            <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
              {t('tools.own.forget')}
            </Button>
          ) : (
            <span />
          )}
          <Button type="submit" loading={save.isPending} disabled={!Object.values(values).some(Boolean)}>
            {t('common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
