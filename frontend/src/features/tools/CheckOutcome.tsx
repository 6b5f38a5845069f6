/** How connecting to a server went: its tools, or what is wrong in words. */
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { HealthView, ToolServerCheck } from '../../api/generated/types.gen';
import { Healthy } from '../../components/Health';
import { ToldFault } from '../../components/ToldFault';
import { formatAgo, formatNumber } from '../../i18n/format';

/** A test that was made just now. */
export function CheckOutcome({ check }: { check: ToolServerCheck }) {
  const { t } = useTranslation();
  if (!check.ok) {
    return <ToldFault code={check.code ?? 'internal'} message={check.message} hint={check.hint} />;
  }
  return (
    <div>
      <Healthy
        text={t('tools.servers.answered', {
          count: check.tools.length,
          server: check.server || t('tools.servers.it'),
          ms: formatNumber(Math.round(check.took_ms)),
        })}
      />
      <Text size="sm" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
        {check.tools.map((tool) => tool.name).join(t('common.comma'))}
      </Text>
    </div>
  );
}

/** What is known of a saved server. */
export function ServerHealth({ health, tools }: { health: HealthView; tools: number }) {
  const { t } = useTranslation();
  const ago = formatAgo(health.at);
  if (health.state === 'failed') {
    return (
      <ToldFault code={health.code ?? 'internal'} message={health.message} hint={health.hint} ago={ago} />
    );
  }
  return <Healthy text={t('tools.servers.connected', { count: tools, ago })} />;
}
