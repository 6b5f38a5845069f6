/** The CSRF token of this sign-in and the chosen workspace: what every call must carry. */

const workspaceKey = 'refdesk-workspace';
let csrfToken: string | null = null;

export const setCsrfToken = (token: string | null) => {
  csrfToken = token;
};

export const chosenWorkspace = () => localStorage.getItem(workspaceKey);

export function chooseWorkspace(id: string | null) {
  if (id === null) localStorage.removeItem(workspaceKey);
  else localStorage.setItem(workspaceKey, id);
}

export function callHeaders(): Record<string, string> {
  const workspace = chosenWorkspace();
  return {
    ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
    ...(workspace ? { 'X-Workspace-ID': workspace } : {}),
  };
}

/** For addresses the browser itself loads (images, downloads), which cannot carry a header. */
export function withWorkspace(path: string): string {
  const workspace = chosenWorkspace();
  if (!workspace) return path;
  return `${path}${path.includes('?') ? '&' : '?'}workspace=${encodeURIComponent(workspace)}`;
}
