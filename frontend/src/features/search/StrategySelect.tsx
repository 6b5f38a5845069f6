/** How a search goes about it: ours in the reader's language, those of installed packages by their plain name. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { listStrategiesOptions } from '../../api/generated/@tanstack/react-query.gen';
import { currentLanguage } from '../../i18n';
import { useStrategyName } from './useStrategyName';

/** What every server knows, where the list does not come. */
const builtIn = ['auto', 'hybrid-search', 'entity-focused', 'time-aware'];

interface Props {
  label: string;
  value: string;
  onChange: (name: string) => void;
}

export function StrategySelect({ label, value, onChange }: Props) {
  const strategyName = useStrategyName();
  const strategies = useQuery({ ...listStrategiesOptions(), staleTime: 5 * 60_000 });
  const listed = strategies.data?.items ?? [];
  const names = listed.length > 0 ? listed.map(({ name }) => name) : builtIn;
  // What is chosen stays to be seen while the list comes, or if its package was taken away.
  const all = names.includes(value) ? names : [value, ...names];
  const chosen = listed.find(({ name }) => name === value);
  return (
    <Select
      label={label}
      description={chosen?.descriptions[currentLanguage()] ?? chosen?.descriptions.en}
      value={value}
      onChange={(name) => name && onChange(name)}
      data={all.map((name) => ({ value: name, label: strategyName(name) }))}
      allowDeselect={false}
    />
  );
}
