/** Keep the questions of a batch under a name. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createTestSet } from '../../api/generated/sdk.gen';
import type { QuestionInput } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

interface Props {
  opened: boolean;
  onClose: () => void;
  bases: string[];
  questions: QuestionInput[];
}

export function SaveTestSet({ opened, onClose, bases, questions }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const save = useMutation({
    mutationFn: async () =>
      (
        await createTestSet({
          body: { name: name.trim(), knowledge_base_ids: bases, questions: questions.slice(0, 2000) },
          throwOnError: true,
        })
      ).data,
    onSuccess: async (made) => {
      onClose();
      await client.invalidateQueries();
      await navigate({ to: '/test-sets/$setId', params: { setId: made.id } });
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title={t('hitTest.saveSet')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) save.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{t('hitTest.saveSetText', { count: questions.length })}</Text>
          <TextInput
            label={t('common.name')}
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {save.error && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!name.trim()} loading={save.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
