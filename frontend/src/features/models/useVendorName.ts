import type { Preset } from '../../api/generated/types.gen';
import { currentLanguage } from '../../i18n';

/** A vendor's name in the reader's language. */
export function useVendorName() {
  return (vendor: Pick<Preset, 'names'>) => vendor.names[currentLanguage() === 'zh' ? 'zh' : 'en'];
}
