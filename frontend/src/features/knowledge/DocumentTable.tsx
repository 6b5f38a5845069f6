/** A real table of documents; on phones its less needed columns give way. */
import { ActionIcon, Checkbox, Menu, Table, Text, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconDots,
  IconDownload,
  IconLock,
  IconPlayerStop,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import { cancelDocument, rereadDocument } from '../../api/generated/sdk.gen';
import type { DocumentView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useNotify } from '../../components/useNotify';
import { formatAgo, formatBytes, formatDateTime, formatNumber, formatPercent } from '../../i18n/format';
import { AccessBadge } from '../access/AccessBadge';
import { DocumentFailure } from './DocumentFailure';
import classes from './DocumentTable.module.css';
import { isWorking, StateChip } from './StateChip';
import { useWarningText } from './useWarningText';

interface Props {
  documents: DocumentView[];
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  onRemove: (id: string) => void;
  onRetry: (id: string) => void;
  onAccess: (document: DocumentView) => void;
}

export function DocumentTable({ documents, selected, onSelect, onRemove, onRetry, onAccess }: Props) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const all = documents.every((one) => selected.has(one.id));
  return (
    <div className={classes.frame}>
      <Table verticalSpacing={10} horizontalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {mayWrite && (
              <Table.Th w={40}>
                <Checkbox
                  size="xs"
                  aria-label={t('knowledge.selectAll')}
                  checked={all}
                  indeterminate={!all && selected.size > 0}
                  onChange={() => onSelect(all ? new Set() : new Set(documents.map((one) => one.id)))}
                />
              </Table.Th>
            )}
            <Table.Th>{t('common.name')}</Table.Th>
            <Table.Th>{t('knowledge.state')}</Table.Th>
            <Table.Th className={classes.wide} ta="right">
              {t('knowledge.paragraphs')}
            </Table.Th>
            <Table.Th className={classes.wide} ta="right">
              <Tooltip label={t('knowledge.coverageHint')}>
                <span>{t('knowledge.coverage')}</span>
              </Tooltip>
            </Table.Th>
            <Table.Th className={classes.wide} ta="right">
              {t('knowledge.size')}
            </Table.Th>
            <Table.Th className={classes.wide}>{t('knowledge.updated')}</Table.Th>
            <Table.Th w={44}>
              <span className="rd-hidden">{t('common.more')}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {documents.map((document) => (
            <Row
              key={document.id}
              document={document}
              mayWrite={mayWrite}
              selected={selected.has(document.id)}
              onToggle={() => {
                const next = new Set(selected);
                if (!next.delete(document.id)) next.add(document.id);
                onSelect(next);
              }}
              onRemove={() => onRemove(document.id)}
              onRetry={() => onRetry(document.id)}
              onAccess={() => onAccess(document)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface RowProps {
  document: DocumentView;
  mayWrite: boolean;
  selected: boolean;
  onToggle: () => void;
  onRemove: () => void;
  onRetry: () => void;
  onAccess: () => void;
}

function Row({ document, mayWrite, selected, onToggle, onRemove, onRetry, onAccess }: RowProps) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const warningText = useWarningText();
  const stopped = document.state === 'failed' || document.state === 'cancelled';
  return (
    <Table.Tr bg={selected ? 'var(--rd-accent-wash)' : undefined}>
      {mayWrite && (
        <Table.Td>
          <Checkbox
            size="xs"
            aria-label={t('knowledge.selectOne', { name: document.name })}
            checked={selected}
            onChange={onToggle}
          />
        </Table.Td>
      )}
      <Table.Td className={classes.name}>
        <Link
          to="/documents/$documentId"
          params={{ documentId: document.id }}
          className={classes.link}
          title={document.name}
        >
          {document.name}
        </Link>
        <AccessBadge access={document.access} />
        {document.warnings.length > 0 && (
          <Tooltip label={document.warnings.map(warningText).join(' ')}>
            <Text component="span" size="xs" className={classes.warning}>
              <IconAlertTriangle size={13} aria-hidden />
              {t('knowledge.warningCount', { count: document.warnings.length })}
            </Text>
          </Tooltip>
        )}
        {document.error && (
          <Text size="xs" className={classes.error}>
            <DocumentFailure error={document.error} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <StateChip document={document} />
      </Table.Td>
      <Table.Td className={classes.wide} ta="right">
        {formatNumber(document.paragraph_count)}
      </Table.Td>
      <Table.Td className={classes.wide} ta="right">
        {document.coverage === null ? '–' : formatPercent(document.coverage)}
      </Table.Td>
      <Table.Td className={classes.wide} ta="right">
        {document.file_bytes === null ? '–' : formatBytes(document.file_bytes)}
      </Table.Td>
      <Table.Td className={classes.wide}>
        <span title={formatDateTime(document.updated_at)}>{formatAgo(document.updated_at)}</span>
      </Table.Td>
      <Table.Td>
        <Menu position="bottom-end" width={190}>
          <Menu.Target>
            <ActionIcon aria-label={t('knowledge.documentActions', { name: document.name })}>
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {document.has_file && (
              <Menu.Item
                component="a"
                href={withWorkspace(`/api/v1/documents/${document.id}/file`)}
                download
                leftSection={<IconDownload size={15} />}
              >
                {t('knowledge.download')}
              </Menu.Item>
            )}
            {mayWrite && (
              <Menu.Item leftSection={<IconLock size={15} />} onClick={onAccess}>
                {t('access.title')}
              </Menu.Item>
            )}
            {mayWrite && stopped && (
              <Menu.Item leftSection={<IconRefresh size={15} />} onClick={onRetry}>
                {t('common.retry')}
              </Menu.Item>
            )}
            {mayWrite && document.has_file && document.state === 'ready' && (
              <Menu.Item
                leftSection={<IconRefresh size={15} />}
                onClick={() =>
                  rereadDocument({ path: { document_id: document.id }, throwOnError: true }).catch(failed)
                }
              >
                {t('versions.reread')}
              </Menu.Item>
            )}
            {mayWrite && isWorking(document.state) && (
              <Menu.Item
                leftSection={<IconPlayerStop size={15} />}
                onClick={() =>
                  cancelDocument({ path: { document_id: document.id }, throwOnError: true }).catch(failed)
                }
              >
                {t('knowledge.cancelWork')}
              </Menu.Item>
            )}
            {mayWrite && (
              <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={onRemove}>
                {t('common.delete')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      </Table.Td>
    </Table.Tr>
  );
}
