import { Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { createTestSet } from '../../api/generated/sdk.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useBases } from '../knowledge/useBases';

export function NewTestSet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const bases = useBases(opened);
  const create = useMutation({
    mutationFn: async () =>
      (await createTestSet({ body: { name: name.trim(), knowledge_base_ids: chosen }, throwOnError: true }))
        .data,
    onSuccess: async (made) => {
      onClose();
      await client.invalidateQueries();
      await navigate({ to: '/test-sets/$setId', params: { setId: made.id } });
    },
  });
  const ready = name.trim() !== '' && chosen.length > 0;
  return (
    <Dialog opened={opened} onClose={onClose} title={t('testSets.new')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) create.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t('common.name')}
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <MultiSelect
            label={t('hitTest.bases')}
            data={(bases.data ?? []).map((base) => ({ value: base.id, label: base.name }))}
            value={chosen}
            onChange={setChosen}
            searchable
            hidePickedOptions
          />
          {create.error && <Problem error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!ready} loading={create.isPending}>
              {t('knowledge.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
