import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { chooseWorkspace } from '../api/credentials';
import { sessionKey, useCaller } from './session';
import classes from './WorkspaceSwitch.module.css';

/** Only shown to those who have a choice. Everything on the page belongs to one workspace, so all is read anew. */
export function WorkspaceSwitch() {
  const { t } = useTranslation();
  const { session, workspace } = useCaller();
  const client = useQueryClient();
  const router = useRouter();
  if (session.workspaces.length < 2 || !workspace) return null;
  const enter = async (id: string) => {
    chooseWorkspace(id);
    await router.navigate({ to: '/ask' });
    client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
    await client.invalidateQueries();
  };
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <UnstyledButton
          className={classes.switch}
          aria-label={t('shell.workspace', { name: workspace.name })}
        >
          <span>{workspace.name}</span>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {session.workspaces.map((candidate) => (
          <Menu.Item
            key={candidate.id}
            onClick={() => enter(candidate.id)}
            rightSection={candidate.id === workspace.id ? <IconCheck size={14} /> : null}
          >
            {candidate.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
