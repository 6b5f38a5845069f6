/** What a tool takes: names, kinds, which are required. */
import { Code, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { parametersOf } from './parameters';

export function ParameterList({ parameters }: { parameters: unknown }) {
  const { t } = useTranslation();
  const found = parametersOf(parameters);
  if (found.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" mt={4} component="div">
      {t('tools.tool.parameters')}:{' '}
      {found.map((one, index) => (
        <span key={one.name} title={one.description}>
          {index > 0 && t('common.comma')}
          <Code fz={11}>{one.name}</Code>
          {one.required && ` (${t('tools.tool.required')})`}
        </span>
      ))}
    </Text>
  );
}
