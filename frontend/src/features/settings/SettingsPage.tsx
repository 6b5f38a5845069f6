/** Everything about people, keys and this account. Sections one may not use are not shown. */
import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCaller } from '../../app/session';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { ExternalSources } from '../external/ExternalSources';
import { ApiKeys } from './ApiKeys';
import { Audit } from './Audit';
import { Groups } from './Groups';
import { Members } from './Members';
import { Profile } from './Profile';
import { SecretKeys } from './SecretKeys';
import { Users } from './Users';
import { Workspaces } from './Workspaces';

export default function SettingsPage() {
  const { t } = useTranslation();
  const { mayManage, isAdministrator } = useCaller();
  const search = useSearch({ from: '/house/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const sections = [
    { name: 'profile', shown: true, panel: <Profile /> },
    { name: 'members', shown: mayManage, panel: <Members /> },
    { name: 'groups', shown: mayManage, panel: <Groups /> },
    { name: 'keys', shown: true, panel: <ApiKeys /> },
    { name: 'sources', shown: mayManage, panel: <ExternalSources /> },
    { name: 'workspaces', shown: isAdministrator, panel: <Workspaces /> },
    { name: 'users', shown: isAdministrator, panel: <Users /> },
    { name: 'secrets', shown: isAdministrator, panel: <SecretKeys /> },
    { name: 'audit', shown: mayManage, panel: <Audit /> },
  ] as const;
  const open = sections.find((section) => section.shown && section.name === search.section) ?? sections[0];
  return (
    <Page>
      <PageHeader title={t('shell.settings')} />
      <Tabs
        value={open.name}
        keepMounted={false}
        onChange={(value) =>
          navigate({
            search: { section: sections.find((section) => section.name === value)?.name },
            replace: true,
          })
        }
      >
        <Tabs.List mb="lg">
          {sections
            .filter((section) => section.shown)
            .map((section) => (
              <Tabs.Tab key={section.name} value={section.name}>
                {t(`settings.sections.${section.name}`)}
              </Tabs.Tab>
            ))}
        </Tabs.List>
        <Tabs.Panel value={open.name}>{open.panel}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}
