/** An HTTP interface: where it is, its tools, and what can be done with it. */
import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconApi, IconDots, IconPencil, IconPower, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeToolInterface, deleteToolInterface } from '../../../api/generated/sdk.gen';
import type { StoredToolView, ToolInterfaceView } from '../../../api/generated/types.gen';
import { useCaller } from '../../../app/session';
import { CardHead } from '../../../components/CardHead';
import { ConfirmDelete } from '../../../components/ConfirmDelete';
import { useNotify } from '../../../components/useNotify';
import classes from '../Tools.module.css';
import { StoredRow } from './StoredRow';

interface Props {
  found: ToolInterfaceView;
  tools: StoredToolView[];
  onTry: (tool: StoredToolView) => void;
  onEdit: () => void;
  onChanged: () => unknown;
}

export function InterfaceCard({ found, tools, onTry, onEdit, onChanged }: Props) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const [asking, ask] = useDisclosure(false);
  const path = { interface_id: found.id };
  const toggle = useMutation({
    mutationFn: () =>
      changeToolInterface({ path, body: { is_active: !found.is_active }, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  return (
    <article className={`rd-card ${classes.card}`} aria-label={found.name}>
      <CardHead
        icon={<IconApi size={20} stroke={1.7} />}
        name={found.name}
        heading="h2"
        badge={
          <Group gap={6}>
            <Badge color="gray">
              {t('storedTools.http.chosen', { count: tools.length, all: found.operations.length })}
            </Badge>
            {!found.is_active && <Badge color="yellow">{t('tools.servers.off')}</Badge>}
          </Group>
        }
        actions={
          mayManage && (
            <Menu position="bottom-end" width={220}>
              <Menu.Target>
                <ActionIcon aria-label={t('tools.servers.actions', { name: found.name })}>
                  <IconDots size={17} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<IconPencil size={15} />} onClick={onEdit}>
                  {t('storedTools.http.edit')}
                </Menu.Item>
                <Menu.Item leftSection={<IconPower size={15} />} onClick={() => toggle.mutate()}>
                  {found.is_active ? t('tools.servers.switchOff') : t('tools.servers.switchOn')}
                </Menu.Item>
                <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask.open}>
                  {t('storedTools.remove')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )
        }
      >
        <Text size="sm" c="dimmed" className={classes.place}>
          {found.base_url}
        </Text>
        <Text size="xs" c="dimmed" mt={2}>
          {t(`storedTools.auth.kinds.${found.auth.kind}`)}
          {found.auth.secrets.map((secret) => ` · ${secret.shown}`).join('')}
        </Text>
      </CardHead>
      <div className={classes.tools}>
        {tools.map((tool) => (
          <StoredRow key={tool.id} tool={tool} onTry={() => onTry(tool)} onChanged={onChanged} />
        ))}
      </div>
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={found.name}
        title={t('storedTools.remove')}
        loss={t('storedTools.http.removeLoss')}
        onConfirm={async () => {
          await deleteToolInterface({ path, throwOnError: true });
          await onChanged();
        }}
      />
    </article>
  );
}
