/** What applications have noted of the person: whether they may, and each note to change or to erase. */
import { ActionIcon, Button, Group, Paper, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  listApplicationsOptions,
  listNotesOptions,
  listNotesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { agreeToNotes, changeNote, eraseNote, eraseNotes } from '../../api/generated/sdk.gen';
import type { ApplicationOut, NoteOut } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';

export function MyNotes() {
  const { t } = useTranslation();
  const applications = useQuery(listApplicationsOptions({ query: { limit: 100 } }));
  const keeping = (applications.data?.items ?? []).filter((one) => one.settings.notes);
  if (keeping.length === 0) return null;
  return (
    <Paper className="rd-card" p="lg">
      <Title order={2} size="h5">
        {t('settings.notes.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('settings.notes.text')}
      </Text>
      <Stack gap="lg">
        {keeping.map((application) => (
          <NotesOf key={application.id} application={application} />
        ))}
      </Stack>
    </Paper>
  );
}

function NotesOf({ application }: { application: ApplicationOut }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const path = { application_id: application.id };
  const notes = useQuery(listNotesOptions({ path }));
  const again = () => client.invalidateQueries({ queryKey: listNotesQueryKey({ path }) });
  const agree = useMutation({
    mutationFn: (agreed: boolean) => agreeToNotes({ path, body: { agreed }, throwOnError: true }),
    onSettled: again,
  });
  const eraseAll = useMutation({
    mutationFn: () => eraseNotes({ path, throwOnError: true }),
    onSettled: again,
  });
  return (
    <Stack gap="xs">
      {notes.error && <Problem error={notes.error} onRetry={notes.refetch} />}
      <Switch
        label={t('settings.notes.agree', { name: application.name })}
        checked={agree.isPending ? agree.variables : (notes.data?.agreed ?? false)}
        disabled={!notes.data}
        onChange={(event) => agree.mutate(event.currentTarget.checked)}
      />
      {(notes.data?.notes ?? []).map((note) => (
        <NoteRow key={note.id} note={note} applicationId={application.id} onChanged={again} />
      ))}
      {(notes.data?.notes.length ?? 0) > 1 && (
        <Group>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={eraseAll.isPending}
            onClick={() => eraseAll.mutate()}
          >
            {t('settings.notes.eraseAll', { name: application.name })}
          </Button>
        </Group>
      )}
      {(agree.error ?? eraseAll.error) && <Problem error={agree.error ?? eraseAll.error} />}
    </Stack>
  );
}

interface RowProps {
  note: NoteOut;
  applicationId: string;
  onChanged: () => void;
}

function NoteRow({ note, applicationId, onChanged }: RowProps) {
  const { t } = useTranslation();
  const path = { application_id: applicationId, note_id: note.id };
  const change = useMutation({
    mutationFn: (text: string) => changeNote({ path, body: { text }, throwOnError: true }),
    onSettled: onChanged,
  });
  const erase = useMutation({
    mutationFn: () => eraseNote({ path, throwOnError: true }),
    onSettled: onChanged,
  });
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label={t('settings.notes.note')}
          defaultValue={note.text}
          maxLength={300}
          onBlur={(event) => {
            const text = event.currentTarget.value.trim();
            if (text && text !== note.text) change.mutate(text);
          }}
        />
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('settings.notes.erase', { note: note.text })}
          loading={erase.isPending}
          onClick={() => erase.mutate()}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {(change.error ?? erase.error) && <Problem error={change.error ?? erase.error} />}
    </>
  );
}
