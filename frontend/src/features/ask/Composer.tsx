/** Where questions are written. What was typed stays until the question has been accepted. */
import { ActionIcon, FileButton, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPhoto, IconPlayerStopFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getStatusOptions } from '../../api/generated/@tanstack/react-query.gen';
import classes from './Composer.module.css';
import { QuestionPictures } from './QuestionPictures';
import { SpeechInput } from './SpeechInput';
import { pictureKinds, useQuestionPictures } from './useQuestionPictures';

const limit = 20_000;

export interface ComposerHandle {
  focus: () => void;
  fill: (text: string) => void;
  /** Writes it and sends it, as if somebody had. */
  ask: (text: string) => void;
}

interface Props {
  draftKey: string;
  running: boolean;
  sending: boolean;
  onSend: (question: string, pictureIds: string[]) => Promise<boolean>;
  onStop: () => void;
  left: ReactNode;
  autoFocus?: boolean;
  ref?: Ref<ComposerHandle>;
}

export function Composer({ draftKey, running, sending, onSend, onStop, left, autoFocus, ref }: Props) {
  const { t } = useTranslation();
  const storage = `refdesk-draft-${draftKey}`;
  const [text, setText] = useState(() => sessionStorage.getItem(storage) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  const status = useQuery(getStatusOptions());
  const pictures = useQuestionPictures();
  const write = (value: string) => {
    setText(value);
    if (value) sessionStorage.setItem(storage, value);
    else sessionStorage.removeItem(storage);
  };
  const question = text.trim();
  const submit = async (wanted: string) => {
    if (!wanted || sending || running || pictures.uploading) return;
    if (await onSend(wanted, pictures.ids)) {
      write('');
      pictures.clear();
    }
  };
  const send = () => submit(question);
  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    fill: (value) => {
      write(value);
      field.current?.focus();
    },
    ask: (value) => {
      write(value);
      submit(value.trim());
    },
  }));
  const onKeyDown = (event: KeyboardEvent) => {
    // While an input method composes, Enter chooses a word and must not send.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === 'Escape' && running) onStop();
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <QuestionPictures ids={pictures.ids} onRemove={pictures.remove} />
      <Textarea
        ref={field}
        variant="unstyled"
        autosize
        minRows={1}
        maxRows={10}
        maxLength={limit}
        aria-label={t('ask.question')}
        placeholder={t('ask.placeholder')}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (status.data?.sees) pictures.add(event.clipboardData.files);
        }}
        autoFocus={autoFocus}
        classNames={{ input: classes.input }}
      />
      <div className={classes.foot}>
        <div className={classes.left}>{left}</div>
        {status.data?.sees && !running && (
          <FileButton multiple accept={pictureKinds.join(',')} onChange={pictures.add}>
            {(button) => (
              <Tooltip label={t('ask.addPicture')}>
                <ActionIcon
                  {...button}
                  size={36}
                  radius="xl"
                  variant="subtle"
                  color="gray"
                  loading={pictures.uploading}
                  disabled={pictures.isFull}
                  aria-label={t('ask.addPicture')}
                >
                  <IconPhoto size={19} />
                </ActionIcon>
              </Tooltip>
            )}
          </FileButton>
        )}
        {status.data?.hears && !running && (
          <SpeechInput
            onText={(heard) => {
              write(text ? `${text.trimEnd()} ${heard}` : heard);
              field.current?.focus();
            }}
          />
        )}
        {running ? (
          <Tooltip label={t('ask.stop')}>
            <ActionIcon
              size={36}
              radius="xl"
              variant="filled"
              color="gray"
              onClick={onStop}
              aria-label={t('ask.stop')}
            >
              <IconPlayerStopFilled size={16} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Tooltip label={t('ask.sendHint')}>
            <ActionIcon
              type="submit"
              size={36}
              radius="xl"
              variant="filled"
              color="lamp"
              loading={sending}
              disabled={!question}
              aria-label={t('ask.send')}
            >
              <IconArrowUp size={19} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </form>
  );
}
