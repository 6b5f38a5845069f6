/** The file kinds the server reads; the browser's picker shows these first. */
export const acceptedKinds =
  '.pdf,.docx,.md,.markdown,.txt,.text,.html,.htm,application/pdf,text/plain,text/markdown,text/html';
