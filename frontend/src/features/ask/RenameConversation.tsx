import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getConversationQueryKey,
  listConversationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen';
import { renameConversation } from '../../api/generated/sdk.gen';
import type { ConversationOut } from '../../api/generated/types.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';

export default function RenameConversation({
  conversation,
  onClose,
}: {
  conversation: ConversationOut;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [title, setTitle] = useState(conversation.title);
  const path = { conversation_id: conversation.id };
  const rename = useMutation({
    mutationFn: () => renameConversation({ path, body: { title: title.trim() }, throwOnError: true }),
    onSuccess: async () => {
      client.invalidateQueries({ queryKey: getConversationQueryKey({ path }) });
      await client.invalidateQueries({ queryKey: [{ _id: listConversationsQueryKey()[0]._id }] });
      onClose();
    },
  });
  return (
    <Dialog opened onClose={onClose} title={t('ask.renameTitle')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t('common.name')}
            value={title}
            maxLength={200}
            onChange={(event) => setTitle(event.currentTarget.value)}
            data-autofocus
          />
          {rename.error && <Problem error={rename.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={rename.isPending} disabled={!title.trim()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
