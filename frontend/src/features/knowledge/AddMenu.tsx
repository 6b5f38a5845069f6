import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconFileUpload, IconListCheck, IconWorldDownload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KnowledgeBaseView } from '../../api/generated/types.gen';
import classes from './AddMenu.module.css';
import { keepWay, keptWay } from './importWay';
import { QaImport } from './QaImport';

const ways = ['ask', 'preview', 'now'] as const;

/** The button that adds files, and beside it what else can be added and how. */
export function AddMenu({ base, onPick }: { base: KnowledgeBaseView; onPick: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/knowledge/$baseId' });
  const [qaOpen, qa] = useDisclosure(false);
  const [way, setWay] = useState<(typeof ways)[number]>(() => keptWay() ?? 'ask');
  return (
    <Group gap={0} ml="auto" wrap="nowrap">
      <Button className={classes.main} leftSection={<IconFileUpload size={17} />} onClick={onPick}>
        {t('knowledge.addFiles')}
      </Button>
      <Menu position="bottom-end" width={280} onOpen={() => setWay(keptWay() ?? 'ask')}>
        <Menu.Target>
          <ActionIcon
            size={36}
            variant="filled"
            color="lamp"
            className={classes.more}
            aria-label={t('knowledge.addMore')}
          >
            <IconChevronDown size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconListCheck size={15} />} onClick={qa.open}>
            {t('qa.title')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconWorldDownload size={15} />}
            onClick={() => navigate({ search: { tab: 'sources' } })}
          >
            {t('sources.addWebsite')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('preview.whenAdding')}</Menu.Label>
          <Menu.RadioGroup
            value={way}
            onChange={(value) => {
              const chosen = ways.find((one) => one === value) ?? 'ask';
              setWay(chosen);
              keepWay(chosen === 'ask' ? null : chosen);
            }}
          >
            {ways.map((one) => (
              <Menu.RadioItem key={one} value={one}>
                {t(`preview.ways.${one}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Dropdown>
      </Menu>
      <QaImport base={base} opened={qaOpen} onClose={qa.close} />
    </Group>
  );
}
