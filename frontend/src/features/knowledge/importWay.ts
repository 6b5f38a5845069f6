/** Whether files are looked at before they are imported: as this person chose the last time and wished to keep. */
import type { Way } from './uploads';

const key = 'refdesk-import-way';

export function keptWay(): Way | null {
  const kept = localStorage.getItem(key);
  return kept === 'now' || kept === 'preview' ? kept : null;
}

export function keepWay(way: Way | null) {
  if (way === null) localStorage.removeItem(key);
  else localStorage.setItem(key, way);
}
