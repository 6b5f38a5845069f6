/** Your conversations in the rail: open, rename, delete (with a way back). */
import { ActionIcon, Menu, Skeleton, Stack, Text } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listConversationsQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { deleteConversation, listConversations } from '../../api/generated/sdk.gen';
import type { ConversationOut } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { useHidden, useUndoableDelete } from '../../components/undo';
import classes from './ConversationList.module.css';

const RenameConversation = lazy(() => import('./RenameConversation'));

export function ConversationList() {
  const { t } = useTranslation();
  const hidden = useHidden();
  const [renaming, setRenaming] = useState<ConversationOut | null>(null);
  const list = useInfiniteQuery({
    queryKey: listConversationsQueryKey({ query: { limit: 30 } }),
    queryFn: async ({ pageParam, signal }) =>
      (
        await listConversations({
          query: { limit: 30, ...(pageParam ? { cursor: pageParam } : {}) },
          signal,
          throwOnError: true,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  if (list.isPending) {
    return (
      <Stack gap={8} px={10} pt={6} aria-hidden>
        <Skeleton height={14} width="80%" />
        <Skeleton height={14} width="65%" />
        <Skeleton height={14} width="72%" />
      </Stack>
    );
  }
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />;
  const conversations = list.data.pages
    .flatMap((page) => page.items)
    .filter((conversation) => !hidden.has(conversation.id));
  if (conversations.length === 0) {
    return (
      <Text size="sm" c="dimmed" px={10} pt={4}>
        {t('ask.noConversations')}
      </Text>
    );
  }
  return (
    <div className={classes.scroll}>
      <ul className={classes.list}>
        {conversations.map((conversation) => (
          <Row key={conversation.id} conversation={conversation} onRename={() => setRenaming(conversation)} />
        ))}
      </ul>
      {list.hasNextPage && (
        <button
          type="button"
          className={classes.more}
          onClick={() => list.fetchNextPage()}
          disabled={list.isFetchingNextPage}
        >
          {t('common.loadMore')}
        </button>
      )}
      {renaming && (
        <Suspense>
          <RenameConversation conversation={renaming} onClose={() => setRenaming(null)} />
        </Suspense>
      )}
    </div>
  );
}

function Row({ conversation, onRename }: { conversation: ConversationOut; onRename: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = useParams({ strict: false });
  const removeWithUndo = useUndoableDelete();
  const title = conversation.title || t('ask.untitled');
  const remove = () => {
    if (params.conversationId === conversation.id) navigate({ to: '/ask' });
    removeWithUndo({
      ids: [conversation.id],
      message: t('ask.conversationDeleted', { title }),
      remove: () => deleteConversation({ path: { conversation_id: conversation.id }, throwOnError: true }),
      onSettled: () => client.invalidateQueries({ queryKey: [{ _id: listConversationsQueryKey()[0]._id }] }),
    });
  };
  return (
    <li className={classes.row}>
      <Link
        to="/ask/$conversationId"
        params={{ conversationId: conversation.id }}
        className={classes.link}
        activeProps={{ 'data-active': true }}
        title={title}
      >
        {title}
      </Link>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon size="sm" className={classes.dots} aria-label={t('ask.conversationActions', { title })}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={15} />} onClick={onRename}>
            {t('common.rename')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={remove}>
            {t('common.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
