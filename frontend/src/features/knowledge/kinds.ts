/** The file kinds the server reads; the browser's picker shows these first. */
export const acceptedKinds =
  '.pdf,.docx,.doc,.xlsx,.xls,.xlsb,.csv,.tsv,.pptx,.odt,.ods,.odp,.rtf,.epub,.eml,.zip,.ipynb,.json,.jsonl,.xml,.md,.markdown,.txt,.text,.html,.htm,application/pdf,text/plain,text/markdown,text/html,text/csv';
