/** A tool server: where it is, how it is, its tools, and what can be done with it. */
import { ActionIcon, Badge, Button, Collapse, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDots,
  IconKey,
  IconLogin2,
  IconPencil,
  IconPlugConnected,
  IconPower,
  IconTerminal2,
  IconTool,
  IconTrash,
  IconWorld,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  beginToolServerSignIn,
  changeToolServer,
  checkToolServer,
  deleteToolServer,
} from '../../api/generated/sdk.gen';
import type { ToolServerView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { CardHead } from '../../components/CardHead';
import { ConfirmDelete } from '../../components/ConfirmDelete';
import { useNotify } from '../../components/useNotify';
import { ServerHealth } from './CheckOutcome';
import { OwnValues } from './OwnValues';
import { ServerTools } from './ServerTools';
import classes from './Tools.module.css';

interface Props {
  server: ToolServerView;
  onEdit: () => void;
  onChanged: () => unknown;
}

/** Where it is, as one line. */
function placeOf({ config }: ToolServerView): string {
  const { url, command, args } = config as { url?: string; command?: string; args?: string[] };
  return url ?? [command, ...(args ?? [])].join(' ');
}

export function ServerCard({ server, onEdit, onChanged }: Props) {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const { failed } = useNotify();
  const [asking, ask] = useDisclosure(false);
  const [showing, show] = useDisclosure(false);
  const [entering, enter] = useDisclosure(false);
  const path = { server_id: server.id };
  const check = useMutation({
    mutationFn: () => checkToolServer({ path, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  const toggle = useMutation({
    mutationFn: () => changeToolServer({ path, body: { is_active: !server.is_active }, throwOnError: true }),
    onSuccess: onChanged,
    onError: failed,
  });
  const signIn = useMutation({
    mutationFn: async () => (await beginToolServerSignIn({ path, throwOnError: true })).data,
    // The whole page goes there: the authorization server sends it back when the person has signed in.
    onSuccess: ({ address }) => window.location.assign(address),
    onError: failed,
  });
  const Icon = server.transport === 'stdio' ? IconTerminal2 : IconWorld;
  return (
    <article className={`rd-card ${classes.card}`} aria-label={server.name}>
      <CardHead
        icon={<Icon size={20} stroke={1.7} />}
        name={server.name}
        heading="h2"
        badge={
          <Group gap={6}>
            <Badge color="gray">{t(`tools.transports.${server.transport}`)}</Badge>
            {!server.is_active && <Badge color="yellow">{t('tools.servers.off')}</Badge>}
          </Group>
        }
        actions={
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="light"
              leftSection={<IconTool size={15} />}
              aria-expanded={showing}
              aria-label={t('tools.servers.showToolsOf', { name: server.name })}
              onClick={show.toggle}
            >
              {t('tools.servers.showTools')}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlugConnected size={15} />}
              loading={check.isPending}
              aria-label={t('tools.servers.testNamed', { name: server.name })}
              onClick={() => check.mutate()}
            >
              {t('tools.servers.test')}
            </Button>
            {(mayManage || server.needs_own_values) && (
              <Menu position="bottom-end" width={220}>
                <Menu.Target>
                  <ActionIcon aria-label={t('tools.servers.actions', { name: server.name })}>
                    <IconDots size={17} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  {server.needs_own_values && (
                    <Menu.Item leftSection={<IconKey size={15} />} onClick={enter.open}>
                      {server.has_own_values ? t('tools.own.change') : t('tools.own.enter')}
                    </Menu.Item>
                  )}
                  {mayManage && server.sign_in === 'done' && (
                    <Menu.Item leftSection={<IconLogin2 size={15} />} onClick={() => signIn.mutate()}>
                      {t('tools.servers.signInAgain')}
                    </Menu.Item>
                  )}
                  {mayManage && (
                    <>
                      <Menu.Item leftSection={<IconPencil size={15} />} onClick={onEdit}>
                        {t('common.edit')}
                      </Menu.Item>
                      <Menu.Item leftSection={<IconPower size={15} />} onClick={() => toggle.mutate()}>
                        {server.is_active ? t('tools.servers.switchOff') : t('tools.servers.switchOn')}
                      </Menu.Item>
                      <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={ask.open}>
                        {t('tools.servers.remove')}
                      </Menu.Item>
                    </>
                  )}
                </Menu.Dropdown>
              </Menu>
            )}
          </Group>
        }
      >
        <Text size="sm" c="dimmed" className={classes.place}>
          {placeOf(server)}
        </Text>
        <div className={classes.health}>
          {server.health ? (
            <ServerHealth health={server.health} tools={server.tools.length} />
          ) : (
            <Text size="sm" c="dimmed">
              {t('tools.servers.neverTested')}
            </Text>
          )}
          {server.sign_in === 'needed' && mayManage && (
            <Group gap="xs" mt={6}>
              <Text size="sm">{t('tools.servers.signInNeeded')}</Text>
              <Button
                size="compact-xs"
                variant="light"
                loading={signIn.isPending}
                onClick={() => signIn.mutate()}
              >
                {t('tools.servers.signIn')}
              </Button>
            </Group>
          )}
          {server.needs_own_values && !server.has_own_values && (
            <Group gap="xs" mt={6}>
              <Text size="sm">{t('tools.own.needed')}</Text>
              <Button size="compact-xs" variant="light" onClick={enter.open}>
                {t('tools.own.enter')}
              </Button>
            </Group>
          )}
        </div>
      </CardHead>
      <Collapse expanded={showing}>
        {showing && <ServerTools server={server} onChanged={onChanged} />}
      </Collapse>
      <OwnValues server={server} opened={entering} onClose={enter.close} onDone={onChanged} />
      <ConfirmDelete
        opened={asking}
        onClose={ask.close}
        name={server.name}
        title={t('tools.servers.remove')}
        loss={t('tools.servers.removeLoss')}
        onConfirm={async () => {
          await deleteToolServer({ path, throwOnError: true });
          await onChanged();
        }}
      />
    </article>
  );
}
