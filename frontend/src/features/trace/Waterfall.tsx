/**
 * The parts of a run over time, each a bar from its beginning to its end. Arrow keys go from one to the next;
 * the one that is open is told in full beside it.
 */
import { Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Row } from './spans';
import classes from './Trace.module.css';
import { shownMs } from './times';
import { useSpanName } from './useSpanName';

interface Props {
  rows: Row[];
  length: number;
  chosen: string | null;
  onChoose: (key: string) => void;
}

export function Waterfall({ rows, length, chosen, onChoose }: Props) {
  const { t } = useTranslation();
  const nameOf = useSpanName();
  const list = useRef<HTMLOListElement>(null);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -rows.length, End: rows.length };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
  };
  return (
    <ol ref={list} className={classes.waterfall} aria-label={t('trace.timeline')} onKeyDown={move}>
      {rows.map(({ key, span, depth }) => {
        const left = (span.started_ms / length) * 100;
        const width = ((span.elapsed_ms ?? 0) / length) * 100;
        const took =
          span.state === 'skipped'
            ? t('ask.stageState.skipped')
            : t('ask.milliseconds', { ms: shownMs(span.elapsed_ms ?? 0) });
        return (
          <li key={key}>
            <UnstyledButton
              className={classes.row}
              data-chosen={key === chosen || undefined}
              data-state={span.state}
              data-kind={span.kind}
              aria-current={key === chosen ? 'true' : undefined}
              onClick={() => onChoose(key)}
            >
              <span className={classes.name} style={{ paddingInlineStart: depth * 14 }}>
                {nameOf(span)}
                {span.state === 'failed' && (
                  <Text component="span" size="xs" c="red">
                    {' '}
                    {t('ask.stageState.failed')}
                  </Text>
                )}
              </span>
              <span className={classes.track} aria-hidden>
                <span
                  className={classes.bar}
                  style={{ insetInlineStart: `${left}%`, width: `max(3px, ${width}%)` }}
                />
              </span>
              <span className={classes.took}>
                <span className="rd-hidden">{t('trace.beganAfter', { ms: shownMs(span.started_ms) })} </span>
                {took}
              </span>
            </UnstyledButton>
          </li>
        );
      })}
    </ol>
  );
}
