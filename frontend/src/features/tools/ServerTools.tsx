/** The tools of a server: which are used, which ask first, what they take, and trying one. */
import { Badge, Button, Group, List, Select, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeToolServer } from '../../api/generated/sdk.gen';
import type { ServerToolView, ToolServerView, ToolSetting } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useNotify } from '../../components/useNotify';
import { ParameterList } from './ParameterList';
import classes from './Tools.module.css';
import { TryTool } from './TryTool';

interface Props {
  server: ToolServerView;
  onChanged: () => unknown;
}

export function ServerTools({ server, onChanged }: Props) {
  const { t } = useTranslation();
  const [trying, setTrying] = useState<ServerToolView | null>(null);
  const extras = [
    server.resources.length > 0 && t('tools.servers.resources', { count: server.resources.length }),
    server.prompts.length > 0 && t('tools.servers.prompts', { count: server.prompts.length }),
  ].filter(Boolean);
  const named = [...server.resources, ...server.prompts].map((one) => one.title ?? one.name ?? one.uri);
  return (
    <div className={classes.tools}>
      {server.tools.map((tool) => (
        <ToolRow
          key={tool.name}
          server={server}
          tool={tool}
          onTry={() => setTrying(tool)}
          onChanged={onChanged}
        />
      ))}
      {server.left_out.length > 0 && (
        <Stack gap={4} mt="xs">
          <Text size="sm">{t('tools.servers.leftOut', { count: server.left_out.length })}</Text>
          <List size="sm" c="dimmed">
            {server.left_out.map((tool) => (
              <List.Item key={`${tool.name} ${tool.reason}`}>
                {tool.name}: {tool.reason}
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
      {extras.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {extras.join(t('common.comma'))}: {named.join(t('common.comma'))}
        </Text>
      )}
      <TryTool
        tool={trying && { ...trying, readOnly: trying.read_only }}
        opened={trying !== null}
        onClose={() => setTrying(null)}
      />
    </div>
  );
}

interface RowProps extends Props {
  tool: ServerToolView;
  onTry: () => void;
}

function ToolRow({ server, tool, onTry, onChanged }: RowProps) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const setting: ToolSetting = tool.setting ?? { is_active: true, ask_first: null };
  const save = useMutation({
    mutationFn: (change: ToolSetting) =>
      changeToolServer({
        path: { server_id: server.id },
        body: { tool_settings: { [tool.name]: { ...setting, ...change } } },
        throwOnError: true,
      }),
    onSuccess: onChanged,
    onError: failed,
  });
  const byServer = server.asks === 'always' || (server.asks === 'changes' && !tool.read_only);
  const chosen = setting.ask_first == null ? 'server' : setting.ask_first ? 'yes' : 'no';
  return (
    <section className={classes.tool} aria-label={tool.name}>
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {tool.title}
          </Text>
          {tool.title !== tool.name && (
            <Text size="xs" c="dimmed" className={classes.code}>
              {tool.name}
            </Text>
          )}
          <Badge color={tool.read_only ? 'gray' : 'yellow'} size="sm">
            {tool.read_only ? t('tools.tool.readOnly') : t('tools.tool.changes')}
          </Badge>
        </Group>
        {tool.description && (
          <Text size="sm" c="dimmed" mt={2}>
            {tool.description}
          </Text>
        )}
        <ParameterList parameters={tool.parameters} />
      </div>
      <Group gap="sm" align="center">
        {mayManage && (
          <>
            <Select
              size="xs"
              w={220}
              aria-label={t('tools.tool.ask', { name: tool.name })}
              allowDeselect={false}
              disabled={save.isPending}
              data={[
                {
                  value: 'server',
                  label: t('tools.tool.askChoices.server', {
                    value: byServer ? t('tools.tool.yes') : t('tools.tool.no'),
                  }),
                },
                { value: 'yes', label: t('tools.tool.askChoices.yes') },
                { value: 'no', label: t('tools.tool.askChoices.no') },
              ]}
              value={chosen}
              onChange={(value) => save.mutate({ ask_first: value === 'server' ? null : value === 'yes' })}
            />
            <Switch
              aria-label={t('tools.tool.active', { name: tool.name })}
              checked={setting.is_active !== false}
              disabled={save.isPending}
              onChange={(event) => save.mutate({ is_active: event.currentTarget.checked })}
            />
          </>
        )}
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlayerPlay size={14} />}
          disabled={!tool.is_active}
          aria-label={t('tools.tool.tryNamed', { name: tool.name })}
          onClick={onTry}
        >
          {t('tools.tool.try')}
        </Button>
      </Group>
    </section>
  );
}
