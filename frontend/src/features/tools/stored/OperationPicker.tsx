/** Which operations of an interface become tools. */
import { Badge, Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperationView } from '../../../api/generated/types.gen';
import { SearchField } from '../../../components/SearchField';
import classes from './Stored.module.css';

interface Props {
  operations: OperationView[];
  chosen: string[];
  onChange: (keys: string[]) => void;
}

/** Below this many there is nothing to look for. */
const fewOperations = 8;

export function OperationPicker({ operations, chosen, onChange }: Props) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const wanted = words.trim().toLocaleLowerCase();
  const shown = operations.filter((one) =>
    `${one.key} ${one.name} ${one.title} ${one.description}`.toLocaleLowerCase().includes(wanted),
  );
  const usable = shown.filter((one) => !one.unsupported);
  const picked = new Set(chosen);
  const isAll = usable.length > 0 && usable.every((one) => picked.has(one.key));
  const toggleAll = () => {
    const keys = usable.map((one) => one.key);
    onChange(isAll ? chosen.filter((key) => !keys.includes(key)) : [...new Set([...chosen, ...keys])]);
  };
  return (
    <div>
      <Group justify="space-between" my={6}>
        <Text size="sm" c="dimmed">
          {t('storedTools.http.chosen', { count: chosen.length, all: operations.length })}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={toggleAll} disabled={usable.length === 0}>
          {isAll ? t('storedTools.http.chooseNone') : t('storedTools.http.chooseAll')}
        </Button>
      </Group>
      {operations.length >= fewOperations && (
        <SearchField label={t('storedTools.http.search')} words={words} onWords={setWords} />
      )}
      <ul className={classes.operations} style={{ listStyle: 'none', margin: '8px 0 0', padding: 0 }}>
        {shown.map((one) => (
          <li key={one.key} className={classes.operation}>
            <Checkbox
              checked={picked.has(one.key)}
              disabled={one.unsupported !== null}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? [...chosen, one.key]
                    : chosen.filter((key) => key !== one.key),
                )
              }
              label={
                <>
                  <Text span size="sm" fw={600}>
                    {one.title || one.name}
                  </Text>{' '}
                  {!one.read_only && !one.unsupported && (
                    <Badge size="xs" color="yellow" variant="outline">
                      {t('tools.tool.asksFirst')}
                    </Badge>
                  )}{' '}
                  {one.deprecated && (
                    <Badge size="xs" color="gray">
                      {t('storedTools.http.deprecated')}
                    </Badge>
                  )}
                </>
              }
              description={
                <span className={classes.path}>
                  {one.key}
                  {one.unsupported && ` · ${t(`storedTools.unsupported.${one.unsupported}`)}`}
                </span>
              }
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
