/** What an agent did before it answered: each call with its arguments and what it gave, opened one by one. */
import { Accordion, Badge, Code, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunOut } from '../../api/generated/types.gen';
import { agentCalls, readable } from './agentCalls';

export function AgentSteps({ run }: { run: RunOut }) {
  const { t } = useTranslation();
  const calls = agentCalls(run);
  if (calls.length === 0) return null;
  return (
    <Accordion
      multiple
      chevronPosition="left"
      variant="contained"
      mb="sm"
      role="group"
      aria-label={t('ask.steps')}
      order={3}
    >
      {calls.map((call) => (
        <Accordion.Item key={`${call.step}-${call.id}`} value={`${call.step}-${call.id}`}>
          <Accordion.Control>
            <Group gap="xs" wrap="nowrap">
              <Text size="sm" fw={500} style={{ flexShrink: 0 }}>
                {call.title}
              </Text>
              <Text size="sm" c="dimmed" truncate>
                {Object.values(call.arguments).map(String).join(' · ')}
              </Text>
              {call.ok === false && (
                <Badge size="sm" color="red" variant="light">
                  {t('ask.stepFailed')}
                </Badge>
              )}
              {call.ok === null && (
                <Badge size="sm" color="yellow" variant="light">
                  {t('ask.stepWaits')}
                </Badge>
              )}
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <Text size="xs" c="dimmed">
              {t('ask.stepArguments')}
            </Text>
            <Code block>{JSON.stringify(call.arguments, null, 2)}</Code>
            {call.result !== null && (
              <>
                <Text size="xs" c="dimmed" mt="xs">
                  {t('ask.stepResult')}
                </Text>
                <Code block mah={320} style={{ overflow: 'auto' }} tabIndex={0}>
                  {readable(call.result)}
                </Code>
              </>
            )}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
