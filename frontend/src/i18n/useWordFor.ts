import { useTranslation } from 'react-i18next';

type Section =
  | 'knowledge.failedStages'
  | 'models.kinds'
  | 'models.yaml.faults'
  | 'notices'
  | 'policies.faults'
  | 'problems'
  | 'reasons'
  | 'settings.roles'
  | 'stages'
  | 'strategies'
  | 'tools.faults'
  | 'trace.dropped'
  | 'trace.parts'
  | 'trace.roles'
  | 'usage.paths'
  | 'warnings';

type Values = Record<string, string | number>;

/** The catalogue's words for a name the server gave (an error code, a reason, a stage), or null if unknown. */
export function useWordFor(section: Section): (name: string, values?: Values) => string | null {
  const { t, i18n } = useTranslation();
  const lookUp = t as unknown as (key: string, values: Values) => string;
  return (name, values = {}) => {
    const key = `${section}.${name}`;
    return i18n.exists(key, values) ? lookUp(key, values) : null;
  };
}
