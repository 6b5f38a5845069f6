/** What calls of models came to, and what may be used: figures, limits, prices, caches. */
import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useCaller } from '../../app/session';
import { Page } from '../../components/Page';
import { PageHeader } from '../../components/PageHeader';
import { Caches } from './Caches';
import { Limits } from './Limits';
import { Overview } from './Overview';
import { Prices } from './Prices';

export default function UsagePage() {
  const { t } = useTranslation();
  const { mayManage } = useCaller();
  const search = useSearch({ from: '/house/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const tabs = [
    { name: 'overview', shown: true, panel: <Overview /> },
    { name: 'limits', shown: mayManage, panel: <Limits /> },
    { name: 'prices', shown: mayManage, panel: <Prices /> },
    { name: 'caches', shown: mayManage, panel: <Caches /> },
  ] as const;
  const shown = tabs.filter((tab) => tab.shown);
  const open = shown.find((tab) => tab.name === search.tab) ?? tabs[0];
  return (
    <Page>
      <PageHeader title={t('usage.title')} text={mayManage ? t('usage.intro') : t('usage.introOwn')} />
      {shown.length === 1 ? (
        open.panel
      ) : (
        <Tabs
          value={open.name}
          keepMounted={false}
          onChange={(value) =>
            navigate({ search: { tab: tabs.find((tab) => tab.name === value)?.name }, replace: true })
          }
        >
          <Tabs.List mb="lg">
            {shown.map((tab) => (
              <Tabs.Tab key={tab.name} value={tab.name}>
                {t(`usage.tabs.${tab.name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={open.name}>{open.panel}</Tabs.Panel>
        </Tabs>
      )}
    </Page>
  );
}
