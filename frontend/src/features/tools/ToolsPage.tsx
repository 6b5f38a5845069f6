/** What answers may use beside documents: tool servers, and all tools in one list to look at and try. */
import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCaller } from '../../app/session';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { AllTools } from './AllTools';
import { Servers } from './Servers';
import { Interfaces } from './stored/Interfaces';
import { PythonTools } from './stored/PythonTools';

export default function ToolsPage() {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const search = useSearch({ from: '/house/tools' });
  const navigate = useNavigate({ from: '/tools' });
  // Each kind of tools that is kept here has a tab.
  const tabs = [
    { name: 'servers', shown: mayWrite, panel: <Servers /> },
    { name: 'http', shown: mayWrite, panel: <Interfaces /> },
    { name: 'python', shown: mayWrite, panel: <PythonTools /> },
    { name: 'all', shown: true, panel: <AllTools /> },
  ] as const;
  const shown = tabs.filter((tab) => tab.shown);
  const open = shown.find((tab) => tab.name === search.tab) ?? shown[0];
  return (
    <Page>
      <PageHeader title={t('tools.title')} text={t('tools.intro')} />
      <Tabs
        value={open?.name ?? 'all'}
        keepMounted={false}
        onChange={(value) =>
          navigate({ search: { tab: tabs.find((tab) => tab.name === value)?.name }, replace: true })
        }
      >
        <Tabs.List mb="lg">
          {shown.map((tab) => (
            <Tabs.Tab key={tab.name} value={tab.name}>
              {t(`tools.tabs.${tab.name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={open?.name ?? 'all'}>{open?.panel}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}
