/** One stored tool in a list: what it is, how it is treated, and what can be done with it. */
import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core';
import {
  IconDots,
  IconHandStop,
  IconPencil,
  IconPlayerPlay,
  IconPower,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeStoredTool } from '../../../api/generated/sdk.gen';
import type { StoredToolChange, StoredToolView } from '../../../api/generated/types.gen';
import { useCaller } from '../../../app/session';
import { useNotify } from '../../../components/useNotify';
import { ParameterList } from '../ParameterList';
import classes from '../Tools.module.css';

interface Props {
  tool: StoredToolView;
  onTry: () => void;
  onChanged: () => unknown;
  onEdit?: () => void;
  onRemove?: () => void;
}

export function StoredRow({ tool, onTry, onChanged, onEdit, onRemove }: Props) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const change = useMutation({
    mutationFn: (body: StoredToolChange) =>
      changeStoredTool({ path: { tool_id: tool.id }, body, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  const name = tool.title || tool.name;
  return (
    <section className={classes.tool} aria-label={name}>
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {(tool.operation || tool.title) && (
            <Badge color="gray" size="sm" tt="none">
              {tool.operation ?? tool.name}
            </Badge>
          )}
          {!tool.is_active && (
            <Badge color="yellow" size="sm">
              {t('tools.tool.off')}
            </Badge>
          )}
          {tool.ask_first && (
            <Badge color="yellow" variant="outline" size="sm">
              {t('tools.tool.asksFirst')}
            </Badge>
          )}
        </Group>
        {tool.description !== tool.title && (
          <Text size="sm" c="dimmed" mt={2} lineClamp={3}>
            {tool.description}
          </Text>
        )}
        <ParameterList parameters={tool.parameters} />
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlayerPlay size={14} />}
          disabled={!tool.is_active}
          aria-label={t('tools.tool.tryNamed', { name })}
          onClick={onTry}
        >
          {t('tools.tool.try')}
        </Button>
        {mayManage && (
          <Menu position="bottom-end" width={230}>
            <Menu.Target>
              <ActionIcon aria-label={t('tools.servers.actions', { name })}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {onEdit && (
                <Menu.Item leftSection={<IconPencil size={15} />} onClick={onEdit}>
                  {t('common.edit')}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconHandStop size={15} />}
                onClick={() => change.mutate({ ask_first: !tool.ask_first })}
              >
                {tool.ask_first ? t('storedTools.doNotAsk') : t('storedTools.ask')}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconPower size={15} />}
                onClick={() => change.mutate({ is_active: !tool.is_active })}
              >
                {tool.is_active ? t('tools.servers.switchOff') : t('tools.servers.switchOn')}
              </Menu.Item>
              {onRemove && (
                <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={onRemove}>
                  {t('storedTools.remove')}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </section>
  );
}
