import { Code } from '@mantine/core';
import { ProblemError } from '../../api';
import type { DocumentError } from '../../api/generated/types.gen';
import { useProblemText } from '../../components/useProblemText';

/** Why a document could not be read: the reason, what may help, and the code. */
export function DocumentFailure({ error }: { error: DocumentError }) {
  const { message, hint, code } = useProblemText(new ProblemError(422, { ...error, detail: error.reason }));
  return (
    <>
      {message} {hint} <Code fz={11}>{code}</Code>
    </>
  );
}
