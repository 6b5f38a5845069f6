/** The file kinds the server reads; the browser's picker shows these first. */
export const acceptedKinds =
  '.pdf,.docx,.doc,.xlsx,.xls,.xlsb,.csv,.tsv,.pptx,.odt,.ods,.odp,.rtf,.epub,.eml,.zip,.png,.jpg,.jpeg,.tif,.tiff,.webp,.bmp,.gif,.ipynb,.json,.jsonl,.xml,.md,.markdown,.txt,.text,.html,.htm,application/pdf,text/plain,text/markdown,text/html,text/csv';

/** What the server calls the kinds of documents. */
export const knownKinds = [
  'pdf',
  'docx',
  'doc',
  'pptx',
  'xlsx',
  'xls',
  'csv',
  'html',
  'markdown',
  'text',
  'epub',
  'eml',
  'rtf',
  'odt',
  'ods',
  'odp',
  'image',
  'zip',
  'notebook',
  'json',
] as const;
