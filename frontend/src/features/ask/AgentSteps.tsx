/** What an agent did before it answered: each call with its arguments and what it gave, opened one by one. */
import { Accordion, Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunOut } from '../../api/generated/types.gen';
import { Values, Words } from '../../components/Values';
import { inOneLine } from '../../components/valueShape';
import { agentCalls, valuesIn } from './agentCalls';

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
                {Object.values(call.arguments).map(inOneLine).join(' · ')}
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
            <Values raw label={t('ask.stepArguments')} values={call.arguments} />
            {call.result !== null && (
              <>
                <Text size="xs" c="dimmed" mt="xs">
                  {t('ask.stepResult')}
                </Text>
                <Result text={call.result} />
              </>
            )}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Result({ text }: { text: string }) {
  const { t } = useTranslation();
  const values = valuesIn(text);
  return values ? <Values raw label={t('ask.stepResult')} values={values} /> : <Words text={text} />;
}
