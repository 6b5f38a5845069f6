import { Code } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ProblemError } from '../../api';
import type { DocumentError } from '../../api/generated/types.gen';
import { useProblemText } from '../../components/useProblemText';
import { useWordFor } from '../../i18n/useWordFor';

/** Why a document could not be read: where it failed, the reason, what may help, and the code. */
export function DocumentFailure({ error }: { error: DocumentError }) {
  const { t } = useTranslation();
  const { message, hint, code } = useProblemText(new ProblemError(422, { ...error, detail: error.reason }));
  const stage = useWordFor('knowledge.failedStages')(error.stage);
  return (
    <>
      {stage && <b>{t('knowledge.failedWhile', { stage })}</b>} {message} {hint} <Code fz={11}>{code}</Code>
    </>
  );
}
