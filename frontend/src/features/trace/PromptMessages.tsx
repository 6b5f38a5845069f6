/** Messages as a model gets them, word for word, with how many tokens each is about. */
import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { PromptMessage } from '../../api/generated/types.gen';
import { Words } from '../../components/Values';
import { formatNumber } from '../../i18n/format';
import { useWordFor } from '../../i18n/useWordFor';
import classes from './Trace.module.css';

export function PromptMessages({ messages }: { messages: PromptMessage[] }) {
  const { t } = useTranslation();
  const roleWord = useWordFor('trace.roles');
  return (
    <div className={classes.prompt}>
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id and never change places
        <section key={index} aria-label={roleWord(message.role) ?? message.role}>
          <Group gap="xs" mb={4}>
            <Badge variant="default" size="sm">
              {roleWord(message.role) ?? message.role}
            </Badge>
            <Text size="xs" c="dimmed">
              {t('trace.aboutTokens', { count: message.tokens, shown: formatNumber(message.tokens) })}
            </Text>
          </Group>
          <Words text={message.content} />
        </section>
      ))}
    </div>
  );
}
