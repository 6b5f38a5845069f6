/** The folders of a base as the server lists them, flat, each with the one it lies in. */
import type { FolderView } from '../../api/generated/types.gen';

/** The folders that lead to one, itself last. */
export function pathTo(folders: readonly FolderView[], id: string | null): FolderView[] {
  const path: FolderView[] = [];
  let at = folders.find((one) => one.id === id);
  while (at) {
    path.unshift(at);
    const above = at.parent_id;
    at = folders.find((one) => one.id === above);
  }
  return path;
}

/** All folders as paths, for choosing one. */
export const pathsOf = (folders: readonly FolderView[]) =>
  folders
    .map((one) => ({
      id: one.id,
      path: pathTo(folders, one.id)
        .map((part) => part.name)
        .join(' / '),
    }))
    .sort((a, b) => a.path.localeCompare(b.path));
