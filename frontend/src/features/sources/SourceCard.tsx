/** A source: how its last run went or stands, what it met, and what can be done. */
import {
  ActionIcon,
  Alert,
  Anchor,
  Badge,
  Button,
  Collapse,
  Group,
  Loader,
  Menu,
  Paper,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconDots,
  IconFileZip,
  IconFolder,
  IconPencil,
  IconPlayerStop,
  IconRefresh,
  IconTrash,
  IconWorld,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { cancelSource, deleteSource, syncSource } from '../../api/generated/sdk.gen';
import type { SourceView, SyncRequest } from '../../api/generated/types.gen';
import { ProblemError } from '../../api/problem';
import { CardHead } from '../../components/CardHead';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { Facts } from '../../components/Facts';
import { useUndoableDelete } from '../../components/undo';
import { useNotify } from '../../components/useNotify';
import { useProblemWords } from '../../components/useProblemText';
import { formatAgo } from '../../i18n/format';
import classes from './SourceCard.module.css';
import { SourceItems } from './SourceItems';
import { useArchive } from './useArchive';
import { WebsiteForm } from './WebsiteForm';

interface Props {
  source: SourceView;
  mayWrite: boolean;
  onChanged: () => unknown;
}

const colors = { idle: 'lamp', queued: 'gray', running: 'lamp', failed: 'red', cancelled: 'gray' } as const;
const told = ['found', 'added', 'changed', 'unchanged', 'removed', 'skipped', 'failed'] as const;

export function SourceCard({ source, mayWrite, onChanged }: Props) {
  const { t } = useTranslation();
  const wordsOf = useProblemWords();
  const { failed } = useNotify();
  const removeWithUndo = useUndoableDelete();
  const [itemsOpen, items] = useDisclosure(false);
  const [editing, edit] = useDisclosure(false);
  const [deleting, ask] = useDisclosure(false);
  const path = { source_id: source.id };
  const isRunning = source.state === 'queued' || source.state === 'running';
  const isSite = source.kind === 'website';
  const sync = useMutation({
    mutationFn: (body: SyncRequest) => syncSource({ path, body, throwOnError: true }),
    onError: failed,
    onSettled: onChanged,
  });
  const cancel = useMutation({
    mutationFn: () => cancelSource({ path, throwOnError: true }),
    onError: failed,
    onSettled: onChanged,
  });
  const archive = useArchive(async () => source.id, onChanged);
  const release = () =>
    removeWithUndo({
      ids: [source.id],
      message: t('sources.released', { name: source.name }),
      remove: () => deleteSource({ path, query: { keep_documents: true }, throwOnError: true }),
      onSettled: onChanged,
    });
  const problem = source.error
    ? wordsOf(new ProblemError(422, { ...source.error, detail: source.error.reason }))
    : null;
  const where = String(source.config.url ?? source.config.path ?? '');
  return (
    <Paper className={`rd-card ${classes.card}`} component="article" aria-label={source.name}>
      <CardHead
        icon={isSite ? <IconWorld size={20} stroke={1.7} /> : <IconFolder size={20} stroke={1.7} />}
        name={source.name}
        heading="h2"
        badge={
          <Badge
            color={colors[source.state]}
            leftSection={isRunning ? <Loader size={12} aria-hidden /> : undefined}
          >
            {t(`sources.states.${source.state}`)}
          </Badge>
        }
        actions={
          mayWrite && (
            <Group gap="xs" wrap="nowrap">
              {isSite && isRunning && (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={<IconPlayerStop size={15} />}
                  loading={cancel.isPending}
                  onClick={() => cancel.mutate()}
                >
                  {t('sources.cancel')}
                </Button>
              )}
              {isSite && !isRunning && (
                <Button
                  size="xs"
                  variant="light"
                  leftSection={<IconRefresh size={15} />}
                  loading={sync.isPending}
                  onClick={() => sync.mutate({})}
                >
                  {t('sources.sync')}
                </Button>
              )}
              {!isSite && (
                <Button
                  size="xs"
                  variant="light"
                  leftSection={<IconFileZip size={15} />}
                  loading={archive.pending}
                  onClick={() => archive.pick()}
                >
                  {t('sources.zipSync')}
                </Button>
              )}
              {archive.input}
              <Menu position="bottom-end" width={270}>
                <Menu.Target>
                  <ActionIcon aria-label={t('sources.actions', { name: source.name })}>
                    <IconDots size={17} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  {isSite && (
                    <>
                      <Menu.Item leftSection={<IconPencil size={15} />} onClick={edit.open}>
                        {t('common.edit')}
                      </Menu.Item>
                      <Menu.Item
                        leftSection={<IconRefresh size={15} />}
                        disabled={isRunning}
                        onClick={() => sync.mutate({ restore_deleted: true })}
                      >
                        {t('sources.restoreDeleted')}
                      </Menu.Item>
                    </>
                  )}
                  {!isSite && (
                    <Menu.Item
                      leftSection={<IconFileZip size={15} />}
                      onClick={() => archive.pick({ keep: true })}
                    >
                      {t('sources.zipKeep')}
                    </Menu.Item>
                  )}
                  <Menu.Item onClick={release}>{t('sources.release')}</Menu.Item>
                  <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask.open}>
                    {t('sources.delete')}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </Group>
          )
        }
      >
        {where && (
          <Text size="sm" c="dimmed" lineClamp={1}>
            {isSite ? (
              <Anchor href={where} target="_blank" rel="noreferrer noopener" size="sm">
                {where}
              </Anchor>
            ) : (
              where
            )}
          </Text>
        )}
        <Text size="sm">
          <Facts
            items={[
              t('knowledge.documentCount', { count: source.documents }),
              source.last_run_at
                ? t('sources.lastRun', { ago: formatAgo(source.last_run_at) })
                : t('sources.never'),
              source.next_run_at &&
                !isRunning &&
                t('sources.nextRun', { ago: formatAgo(source.next_run_at) }),
            ]}
          />
        </Text>
        {(isRunning || source.last_run_at) && (
          <Text size="sm" c="dimmed" role="status">
            <Facts
              items={told
                .filter((name) => name === 'found' || (source.counts[name] ?? 0) > 0)
                .map((name) => t(`sources.counts.${name}`, { count: source.counts[name] ?? 0 }))}
            />
          </Text>
        )}
      </CardHead>
      {problem && (
        <Alert color="red" mt="sm" icon={<IconAlertTriangle size={18} />}>
          <Text size="sm">
            {problem.message} {problem.hint}
          </Text>
          {source.error?.code === 'too-much-vanished' && mayWrite && (
            <Button
              mt="xs"
              size="xs"
              variant="default"
              onClick={() => sync.mutate({ allow_mass_removal: true })}
            >
              {t('sources.allowRemoval')}
            </Button>
          )}
        </Alert>
      )}
      {archive.vanished && (
        <Alert color="red" mt="sm" icon={<IconAlertTriangle size={18} />}>
          <Text size="sm" mb="xs">
            {archive.vanished.text}
          </Text>
          <Button size="xs" variant="default" onClick={() => archive.pick({ allow_mass_removal: true })}>
            {t('sources.allowZip')}
          </Button>
        </Alert>
      )}
      {source.last_run_at && (
        <>
          <Button
            mt="xs"
            ml={-10}
            size="compact-sm"
            variant="subtle"
            rightSection={<IconChevronDown size={14} />}
            aria-expanded={itemsOpen}
            onClick={items.toggle}
          >
            {isSite ? t('sources.pages') : t('sources.files')}
          </Button>
          <Collapse expanded={itemsOpen}>{itemsOpen && <SourceItems source={source} />}</Collapse>
        </>
      )}
      {isSite && <WebsiteForm source={source} opened={editing} onClose={edit.close} onDone={onChanged} />}
      <ConfirmDelete
        opened={deleting}
        onClose={ask.close}
        name={source.name}
        title={t('sources.delete')}
        loss={t('sources.deleteLoss', {
          documents: t('knowledge.documentCount', { count: source.documents }),
        })}
        onConfirm={async () => {
          await deleteSource({ path, throwOnError: true });
          await onChanged();
        }}
      />
    </Paper>
  );
}
