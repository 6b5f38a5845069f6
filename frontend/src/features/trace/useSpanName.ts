/** The names of stages, channels and tools as people read them. */
import { useTranslation } from 'react-i18next';
import type { TraceSpan } from '../../api/generated/types.gen';
import { useWordFor } from '../../i18n/useWordFor';
import { bareName } from './spanNames';

export function useSpanName(): (span: Pick<TraceSpan, 'name' | 'kind' | 'detail'>) => string {
  const { t } = useTranslation();
  const stage = useWordFor('stages');
  const part = useWordFor('trace.parts');
  return (span) => {
    const bare = bareName(span.name);
    if (span.kind === 'tool') {
      const title = span.detail?.title;
      return t('trace.toolNamed', { name: typeof title === 'string' && title ? title : bare });
    }
    return stage(span.name) ?? part(bare) ?? bare;
  };
}
