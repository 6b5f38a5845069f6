/** The first question of a conversation: what to ask, and where to look. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCaller } from '../../app/session';
import { Problem } from '../../components/Problem';
import classes from './AskPage.module.css';
import { Composer, type ComposerHandle } from './Composer';
import { NoModelBanner } from './NoModelBanner';
import { SourcePicker } from './SourcePicker';
import { Suggestions } from './Suggestions';
import { type Sources, useSourceChoices } from './sources';
import { targetOf, useAsk } from './useAsk';

const noop = () => undefined;

export default function AskPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/house/ask' });
  const navigate = useNavigate();
  const { session } = useCaller();
  const { applications } = useSourceChoices();
  const [picked, setPicked] = useState<Sources | null>(null);
  const composer = useRef<ComposerHandle>(null);
  const ask = useAsk();
  // A question of the palette is written down, to be sent or changed; the address is for one time.
  const { question: brought } = search;
  useEffect(() => {
    if (!brought) return;
    composer.current?.fill(brought);
    navigate({ to: '/ask', search: ({ question: _written, ...rest }) => rest, replace: true });
  }, [brought, navigate]);
  const sources: Sources =
    picked ??
    (search.application
      ? { kind: 'application', id: search.application }
      : search.base
        ? { kind: 'bases', ids: [search.base] }
        : { kind: 'all' });
  const send = async (question: string, pictureIds: string[]) => {
    try {
      const run = await ask.mutateAsync({ question, picture_ids: pictureIds, ...targetOf(sources) });
      // Not waited for: the question has been accepted, so its draft goes before the page does.
      navigate({ to: '/ask/$conversationId', params: { conversationId: run.conversation_id } });
      return true;
    } catch {
      return false;
    }
  };
  const application =
    sources.kind === 'application' ? applications.find((one) => one.id === sources.id) : undefined;
  const name = session.user?.name.split(' ')[0];
  return (
    <div className={classes.room}>
      <NoModelBanner />
      <div className={classes.welcome}>
        <h1 className={classes.title}>
          {application ? application.name : name ? t('ask.greeting', { name }) : t('ask.greetingPlain')}
        </h1>
        <p className={classes.text}>
          {application?.settings.opening_words || application?.description || t('ask.invitation')}
        </p>
        {ask.error && <Problem error={ask.error} />}
        <Composer
          ref={composer}
          draftKey="new"
          running={false}
          sending={ask.isPending}
          onSend={send}
          onStop={noop}
          autoFocus
          left={<SourcePicker value={sources} onChange={setPicked} />}
        />
        <Suggestions sources={sources} onAsk={(question) => composer.current?.ask(question)} />
      </div>
    </div>
  );
}
