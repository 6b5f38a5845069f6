/** Who may see a document, or what lies in a folder: everyone, those of the folder above, or only these. */
import { Alert, Button, Group, Loader, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getDocumentAccess,
  getFolderAccess,
  setDocumentAccess,
  setFolderAccess,
} from '../../api/generated/sdk.gen';
import type { AccessView } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { useNotify } from '../../components/useNotify';
import { useGroups, useMembers } from './useMembers';

export interface Subject {
  kind: 'document' | 'folder';
  id: string;
  name: string;
}

interface Props {
  subject: Subject | null;
  onClose: () => void;
  onChanged: () => unknown;
}

export function AccessDialog({ subject, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  const access = useQuery({
    queryKey: ['access', subject?.kind, subject?.id],
    enabled: subject !== null,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const id = subject?.id ?? '';
      const asked =
        subject?.kind === 'folder'
          ? getFolderAccess({ path: { folder_id: id }, signal, throwOnError: true })
          : getDocumentAccess({ path: { document_id: id }, signal, throwOnError: true });
      return (await asked).data;
    },
  });
  return (
    <Dialog
      opened={subject !== null}
      onClose={onClose}
      title={t('access.titleOf', { name: subject?.name ?? '' })}
      size="md"
    >
      {access.isPending && <Loader size="sm" />}
      {access.error && <Problem error={access.error} onRetry={access.refetch} />}
      {access.data && subject && (
        <Choice subject={subject} access={access.data} onClose={onClose} onChanged={onChanged} />
      )}
    </Dialog>
  );
}

interface ChoiceProps extends Props {
  subject: Subject;
  access: AccessView;
}

/** Ids of people and groups share one field; the letter says which they are. */
const keysOf = (access: AccessView) => [
  ...access.users.map((one) => `u${one.id}`),
  ...access.groups.map((one) => `g${one.id}`),
];
const idsOf = (keys: string[], letter: string) =>
  keys.filter((key) => key.startsWith(letter)).map((key) => key.slice(1));

function Choice({ subject, access, onClose, onChanged }: ChoiceProps) {
  const { t } = useTranslation();
  const { done } = useNotify();
  const client = useQueryClient();
  const [restricted, setRestricted] = useState(access.restricted);
  const [keys, setKeys] = useState(() => keysOf(access));
  const options = usePeople(access);
  const save = useMutation({
    mutationFn: async () => {
      const body = { restricted, user_ids: idsOf(keys, 'u'), group_ids: idsOf(keys, 'g') };
      const sent =
        subject.kind === 'folder'
          ? setFolderAccess({ path: { folder_id: subject.id }, body, throwOnError: true })
          : setDocumentAccess({ path: { document_id: subject.id }, body, throwOnError: true });
      return (await sent).data;
    },
    onSuccess: async (saved) => {
      done(t(saved.in_background ? 'access.savedLater' : 'access.saved'));
      onClose();
      await client.invalidateQueries({ queryKey: ['access'] });
      await onChanged();
    },
  });
  return (
    <Stack gap="md">
      <Radio.Group
        aria-label={t('access.title')}
        value={restricted ? 'only' : 'open'}
        onChange={(value) => setRestricted(value === 'only')}
      >
        <Stack gap="sm">
          <Radio
            value="open"
            label={
              access.inherited ? t('access.inherit', { name: access.inherited.name }) : t('access.everyone')
            }
            {...(access.inherited ? { description: t('access.inheritText') } : {})}
          />
          <Radio value="only" label={t('access.only')} description={t('access.ownersToo')} />
        </Stack>
      </Radio.Group>
      {restricted && (
        <MultiSelect
          label={t('access.people')}
          placeholder={t('access.peoplePlaceholder')}
          data={options}
          value={keys}
          onChange={setKeys}
          searchable
          clearable
          hidePickedOptions
          limit={50}
          nothingFoundMessage={t('common.nothingFound')}
        />
      )}
      {restricted && keys.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('access.none')}
        </Text>
      )}
      {save.error && (
        <Alert color="red">
          <Problem error={save.error} />
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          {t('common.save')}
        </Button>
      </Group>
    </Stack>
  );
}

function usePeople(access: AccessView) {
  const { t } = useTranslation();
  const members = useMembers();
  const known = useGroups();
  const users = new Map(access.users.map((one) => [`u${one.id}`, `${one.name} (${one.email})`]));
  for (const one of members.data ?? []) users.set(`u${one.user_id}`, `${one.name} (${one.email})`);
  const groups = new Map(access.groups.map((one) => [`g${one.id}`, one.name]));
  for (const one of known.data ?? []) groups.set(`g${one.id}`, one.name);
  const items = (found: Map<string, string>) => [...found].map(([value, label]) => ({ value, label }));
  return [
    { group: t('access.group'), items: items(groups) },
    { group: t('access.person'), items: items(users) },
  ];
}
