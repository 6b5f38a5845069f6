import { useTranslation } from 'react-i18next';
import type { NamedModel } from '../../api/generated/types.gen';
import type { Rule } from './rules';

/** A rule in one sentence. */
export function useRuleText(models: readonly NamedModel[]) {
  const { t } = useTranslation();
  return (rule: Rule): string => {
    const condition = rule.condition;
    switch (rule.action) {
      case 'switch_to_model': {
        const model = models.find((one) => one.id === rule.target_model_id)?.name ?? rule.target_model_id;
        if (!rule.retry_times) return t('policies.sentence.switch_at_once', { condition, model });
        return t('policies.sentence.switch_to_model', { condition, model, times: rule.retry_times });
      }
      case 'retry':
        return t('policies.sentence.retry', { condition, times: rule.retry_times, ms: rule.backoff_ms });
      case 'rate_limit':
        return t('policies.sentence.rate_limit', { condition, times: rule.retry_times, ms: rule.delay_ms });
      case 'reject':
        return t('policies.sentence.reject', { condition, message: rule.message });
    }
  };
}
