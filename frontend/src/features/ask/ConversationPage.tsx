/** A conversation: its turns, the composer for the next question, and the evidence of the turn in view. */
import { useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getConversationOptions } from '../../api/generated/@tanstack/react-query.gen';
import { cancelRun } from '../../api/generated/sdk.gen';
import type { ReplyOut, RunOut, RunReply } from '../../api/generated/types.gen';
import { isUnknownAddress } from '../../api/problem';
import { UnknownAddress } from '../../components/PageProblem';
import { Problem } from '../../components/Problem';
import { Skeletons } from '../../components/Skeletons';
import { useNotify } from '../../components/useNotify';
import { AskRoom } from './AskRoom';
import { Composer, type ComposerHandle } from './Composer';
import classes from './ConversationPage.module.css';
import { groupTurns, isOpen } from './liveRun';
import { SourcePicker } from './SourcePicker';
import { sourcesOf } from './sources';
import { TurnView, WaitingLines } from './TurnView';
import { useAsk } from './useAsk';
import { useConversationSync } from './useConversationSync';
import { WorkingFiles } from './WorkingFiles';

export default function ConversationPage() {
  const { conversationId } = useParams({ from: '/house/ask/$conversationId' });
  return <Thread key={conversationId} id={conversationId} />;
}

function Thread({ id }: { id: string }) {
  const { t } = useTranslation();
  const { failed } = useNotify();
  const conversation = useQuery({
    ...getConversationOptions({ path: { conversation_id: id } }),
    refetchOnWindowFocus: false,
  });
  useConversationSync(id);
  const ask = useAsk();
  const composer = useRef<ComposerHandle>(null);
  const end = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<RunOut | null>(null);
  const [sheet, setSheet] = useState(false);
  const turns = useMemo(() => groupTurns(conversation.data?.runs ?? []), [conversation.data]);
  const lastRun = turns.at(-1)?.runs.at(-1);
  const replies = useMemo(
    () =>
      new Map(
        (conversation.data?.runs ?? []).flatMap((run) =>
          run.reply ? [[run.reply.run_id, run.reply] as [string, ReplyOut]] : [],
        ),
      ),
    [conversation.data],
  );
  const running = conversation.data?.runs.find(isOpen);
  useHotkeys([['/', () => composer.current?.focus()]]);

  // The latest question goes to the top of the view and the answer grows below it: nothing jumps while reading.
  const lastTurn = turns.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll when there is a new turn, not at every token
  useLayoutEffect(() => {
    if (turns.length > 1 || ask.isPending)
      end.current?.scrollIntoView({ block: 'start', behavior: 'instant' });
  }, [lastTurn, ask.isPending]);

  const show = useCallback((run: RunOut) => {
    setShown((known) => (!known || known.id === run.id || known.created_at <= run.created_at ? run : known));
  }, []);
  const openEvidence = useCallback((run: RunOut) => {
    setShown(run);
    setSheet(true);
  }, []);
  const send = async (question: string, pictureIds: string[]) => {
    try {
      await ask.mutateAsync({ question, picture_ids: pictureIds, conversation_id: id });
      return true;
    } catch {
      return false;
    }
  };
  const retry = (run: RunOut) => ask.mutate({ retry_of: run.id, conversation_id: id }, { onError: failed });
  const reply = (run: RunOut, given: RunReply) =>
    ask.mutate(
      { conversation_id: id, reply: { ...given, run_id: run.id } },
      {
        onError: (error) => {
          failed(error);
          conversation.refetch(); // most likely it was answered in another tab
        },
      },
    );
  const stop = () => {
    if (running) cancelRun({ path: { run_id: running.id }, throwOnError: true }).catch(failed);
  };

  if (isUnknownAddress(conversation.error)) return <UnknownAddress room="ask" />;
  return (
    <AskRoom
      run={shown ?? lastRun ?? null}
      sheetOpen={sheet}
      onSheetClose={() => setSheet(false)}
      composer={
        <>
          {ask.error && !ask.variables?.retry_of && !ask.variables?.reply && <Problem error={ask.error} />}
          <Composer
            ref={composer}
            draftKey={id}
            running={running !== undefined}
            sending={ask.isPending}
            onSend={send}
            onStop={stop}
            left={<SourcePicker value={sourcesOf(conversation.data ?? {})} />}
          />
        </>
      }
    >
      <h1 className="rd-hidden">{conversation.data?.title ?? t('ask.conversation')}</h1>
      {conversation.isPending && <Skeletons rows={5} height={20} />}
      {conversation.error && <Problem error={conversation.error} onRetry={conversation.refetch} />}
      <WorkingFiles
        conversationId={id}
        applicationId={conversation.data?.application_id}
        turn={`${lastRun?.id} ${running === undefined}`}
      />
      {turns.map((turn, index) => (
        <div
          key={turn.id}
          ref={index === turns.length - 1 && !ask.isPending ? end : undefined}
          className={index === turns.length - 1 ? classes.latest : classes.earlier}
        >
          <TurnView
            turn={turn}
            onRetry={retry}
            onLive={show}
            onEvidence={openEvidence}
            reply={turn.runs.map((run) => replies.get(run.id)).find(Boolean)}
            isLast={index === turns.length - 1}
            replying={ask.isPending}
            onReply={reply}
          />
        </div>
      ))}
      {ask.isPending && ask.variables.question && (
        <div ref={end} className={classes.latest}>
          <p className={classes.pending}>{ask.variables.question}</p>
          <WaitingLines />
        </div>
      )}
    </AskRoom>
  );
}
