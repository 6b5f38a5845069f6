/** Everything an application can choose as a tool, of whatever kind, to look at and to try. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconTool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listToolsOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { ToolView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { EmptyState } from '../../components/EmptyState';
import { Problem } from '../../components/Problem';
import { SearchField } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import { ParameterList } from './ParameterList';
import classes from './Tools.module.css';
import { TryTool } from './TryTool';

/** Below this many there is nothing to look for. */
const fewTools = 8;

export function AllTools() {
  const { t } = useTranslation();
  const { mayWrite, mayManage } = useCaller();
  const navigate = useNavigate({ from: '/tools' });
  const [words, setWords] = useState('');
  const [trying, setTrying] = useState<ToolView | null>(null);
  const tools = useQuery(listToolsOptions());
  const items = tools.data?.items ?? [];
  const wanted = words.trim().toLocaleLowerCase();
  const shown = items.filter((tool) =>
    `${tool.name} ${tool.title} ${tool.description} ${tool.group_name ?? ''}`
      .toLocaleLowerCase()
      .includes(wanted),
  );
  return (
    <Stack>
      {tools.isPending && <Skeletons rows={3} height={72} />}
      {tools.error && <Problem error={tools.error} onRetry={tools.refetch} />}
      {tools.isSuccess && items.length === 0 && (
        <div className="rd-card">
          <EmptyState
            icon={<IconTool size={28} />}
            title={t('tools.all.none')}
            text={t('tools.all.noneText')}
          >
            {mayManage && (
              <Button
                variant="default"
                onClick={() => navigate({ search: { tab: 'servers' }, replace: true })}
              >
                {t('tools.all.toServers')}
              </Button>
            )}
          </EmptyState>
        </div>
      )}
      {items.length >= fewTools && (
        <SearchField label={t('tools.all.search')} words={words} onWords={setWords} />
      )}
      {items.length > 0 && shown.length === 0 && <Text c="dimmed">{t('common.nothingFound')}</Text>}
      {shown.length > 0 && (
        <div className={`rd-card ${classes.card}`}>
          {shown.map((tool) => (
            <Row key={tool.id} tool={tool} mayTry={mayWrite} onTry={() => setTrying(tool)} />
          ))}
        </div>
      )}
      <TryTool
        tool={trying && { ...trying, readOnly: trying.read_only }}
        opened={trying !== null}
        onClose={() => setTrying(null)}
      />
    </Stack>
  );
}

function Row({ tool, mayTry, onTry }: { tool: ToolView; mayTry: boolean; onTry: () => void }) {
  const { t } = useTranslation();
  const origins = ['mcp', 'http', 'python', 'application', 'skill', 'builtin'] as const;
  const origin = origins.find((one) => one === tool.origin);
  return (
    <section className={classes.tool} aria-label={tool.title}>
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600} size="sm">
            {tool.title}
          </Text>
          <Badge color="gray" size="sm">
            {tool.group_name ?? (origin ? t(`tools.tool.origins.${origin}`) : tool.origin)}
          </Badge>
          {!tool.is_active && (
            <Badge color="yellow" size="sm">
              {t('tools.tool.off')}
            </Badge>
          )}
          {tool.state === 'failed' && (
            <Badge color="red" size="sm" title={tool.problem ?? ''}>
              {t('tools.tool.failing')}
            </Badge>
          )}
          {tool.ask_first && (
            <Badge color="yellow" variant="outline" size="sm">
              {t('tools.tool.asksFirst')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" mt={2}>
          {tool.description}
        </Text>
        <ParameterList parameters={tool.parameters} />
      </div>
      {mayTry && (
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlayerPlay size={14} />}
          disabled={!tool.is_active}
          aria-label={t('tools.tool.tryNamed', { name: tool.title })}
          onClick={onTry}
        >
          {t('tools.tool.try')}
        </Button>
      )}
    </section>
  );
}
