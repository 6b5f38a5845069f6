/** Narrows a search to some documents. Those chosen stay in the list whatever is looked for. */
import { MultiSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ChosenDocument } from './settings';
import { useDocumentSearch } from './useDocumentSearch';

interface Props {
  baseIds: string[];
  value: ChosenDocument[];
  onChange: (documents: ChosenDocument[]) => void;
}

export function DocumentFilter({ baseIds, value, onChange }: Props) {
  const { t } = useTranslation();
  const { words, setWords, documents } = useDocumentSearch(baseIds);
  const found = documents.map(({ id, name, knowledge_base_id }) => ({ id, name, baseId: knowledge_base_id }));
  const known = new Map([...value, ...found].map((one) => [one.id, one]));
  return (
    <MultiSelect
      label={t('hitTest.documents')}
      description={t('hitTest.documentsHint')}
      placeholder={value.length === 0 ? t('hitTest.chooseDocument') : undefined}
      searchable
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': t('common.clear') }}
      maxValues={1000}
      searchValue={words}
      onSearchChange={setWords}
      // The server has looked for the words already, in any case and place.
      filter={({ options }) => options}
      nothingFoundMessage={t('common.nothingFound')}
      data={[...known.values()].map(({ id, name }) => ({ value: id, label: name }))}
      value={value.map(({ id }) => id)}
      onChange={(ids) => onChange(ids.flatMap((id) => known.get(id) ?? []))}
    />
  );
}
