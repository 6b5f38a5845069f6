/** Asks before something large is lost: says what goes and wants its name typed. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog';
import { Problem } from './Problem';

interface Props {
  opened: boolean;
  onClose: () => void;
  name: string;
  title: string;
  loss: string;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmDelete({ opened, onClose, name, title, loss, onConfirm }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const removal = useMutation({ mutationFn: onConfirm });
  const close = () => {
    setTyped('');
    removal.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === name.trim()) removal.mutate(undefined, { onSuccess: close });
        }}
      >
        <Stack>
          <Text size="sm">{loss}</Text>
          <TextInput
            label={t('common.typeToConfirm', { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {removal.error && <Problem error={removal.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              color="red"
              disabled={typed.trim() !== name.trim()}
              loading={removal.isPending}
            >
              {t('common.delete')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
