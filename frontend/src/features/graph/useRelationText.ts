import { useTranslation } from 'react-i18next';
import type { RelationView } from '../../api/generated/types.gen';

const kinds = [
  'attribute',
  'supports',
  'part_of',
  'depends_on',
  'uses',
  'connects_to',
  'replaces',
  'means',
  'causes',
  'resolved_by',
  'made_by',
  'managed_by',
  'located_in',
  'provides',
  'is_a',
  'alias',
  'related',
] as const;

/** A relation in the reader's words: of a parameter its name, of others their kind. */
export function useRelationText() {
  const { t } = useTranslation();
  const label = ({ kind, label }: RelationView) => {
    const known = kinds.find((one) => one === kind) ?? 'related';
    return known === 'attribute' && label ? label : t(`graph.kinds.${known}`);
  };
  return {
    label,
    sentence: (edge: RelationView) =>
      t('graph.sentence', { source: edge.source.name, relation: label(edge), target: edge.target.name }),
  };
}
