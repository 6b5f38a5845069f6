import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';

/** A choice among the rerankers of the workspace, or none; nothing at all where there are none to choose. */
export function RerankerSelect(props: Omit<SelectProps, 'data' | 'label' | 'description'>) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions({ query: { kind: 'RERANKER' } }));
  const items = models.data?.items ?? [];
  if (items.length === 0 && !props.value) return null;
  return (
    <Select
      label={t('knowledge.reranker')}
      description={t('knowledge.rerankerHint')}
      placeholder={t('knowledge.noReranker')}
      clearable
      data={items.map((model) => ({ value: model.id, label: model.name }))}
      {...props}
    />
  );
}
