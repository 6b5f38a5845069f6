import { Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateTestSet } from '../../api/generated/sdk.gen';
import type { TestSetView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useBases } from '../knowledge/useBases';

/** A set's name and the bases it asks. */
export function RenameTestSet({ set, onClose }: { set: TestSetView; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [name, setName] = useState(set.name);
  const [chosen, setChosen] = useState(set.knowledge_bases.map((base) => base.id));
  const bases = useBases();
  const change = useMutation({
    mutationFn: () =>
      updateTestSet({
        path: { test_set_id: set.id },
        body: { name: name.trim(), knowledge_base_ids: chosen },
        throwOnError: true,
      }),
    onSuccess: async () => {
      await client.invalidateQueries();
      onClose();
    },
  });
  const ready = name.trim() !== '' && chosen.length > 0;
  return (
    <Dialog opened onClose={onClose} title={t('testSets.edit')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) change.mutate();
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
            data={(bases.data ?? set.knowledge_bases).map((base) => ({
              value: base.id,
              label: base.name,
            }))}
            value={chosen}
            onChange={setChosen}
            searchable
            hidePickedOptions
          />
          {change.error && <Problem error={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!ready} loading={change.isPending}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
