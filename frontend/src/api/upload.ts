/** Sends files with progress, which `fetch` cannot report. Refusals become `ProblemError`s as elsewhere. */
import { callHeaders } from './credentials';
import { ProblemError } from './problem';

interface Watch {
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
}

/** One file as the part `field` of a form; answers what the server sent. */
export function sendFile<T>(
  url: string,
  field: string,
  file: File,
  { onProgress, signal }: Watch = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append(field, file, file.name);
    request.open('POST', url);
    for (const [name, value] of Object.entries(callHeaders())) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response as T);
      else reject(new ProblemError(request.status, request.response));
    };
    request.onerror = () => reject(new ProblemError(0, null));
    request.onabort = () => reject(new ProblemError(0, { code: 'cancelled' }));
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
