/**
 * Deleting small things at once, with a way back: the thing disappears from view, the call goes out when the
 * notice has passed (or the page is left), and "Undo" brings it back as if nothing had happened.
 */
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useNotify } from './useNotify';

const graceMs = 7000;
const waiting = new Map<string, { timer: number; run: () => Promise<void> }>();
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function publish() {
  hidden = new Set(waiting.keys());
  for (const listener of listeners) listener();
}

window.addEventListener('pagehide', () => {
  for (const { timer, run } of waiting.values()) {
    clearTimeout(timer);
    run();
  }
});

/** Carry out at once what waits to be deleted: before something else takes the rest for all there is. */
export async function settleDeletions() {
  const runs = [...waiting.values()].map(({ timer, run }) => {
    clearTimeout(timer);
    return run();
  });
  await Promise.all(runs);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Ids that lists must not show: their deletion is under way. */
export const useHidden = () => useSyncExternalStore(subscribe, () => hidden);

interface Removal {
  ids: string[];
  message: string;
  remove: () => Promise<unknown>;
  onSettled?: () => unknown;
}

export function useUndoableDelete() {
  const { t } = useTranslation();
  const { failed } = useNotify();
  return ({ ids, message, remove, onSettled }: Removal) => {
    const key = ids.join();
    const noticeId = `undo-${key}`;
    const settle = async () => {
      await onSettled?.();
      for (const id of ids) waiting.delete(id);
      publish();
    };
    let running: Promise<void> | null = null;
    const run = () => {
      notifications.hide(noticeId);
      running ??= remove()
        .then(() => undefined, failed)
        .finally(settle);
      return running;
    };
    const timer = window.setTimeout(run, graceMs);
    ids.forEach((id) => {
      waiting.set(id, { timer, run });
    });
    publish();
    const undo = () => {
      clearTimeout(timer);
      for (const id of ids) waiting.delete(id);
      publish();
      notifications.hide(noticeId);
    };
    notifications.show({
      id: noticeId,
      autoClose: graceMs,
      withCloseButton: false,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" lineClamp={2}>
            {message}
          </Text>
          <Button size="xs" variant="light" onClick={undo}>
            {t('common.undo')}
          </Button>
        </Group>
      ),
    });
  };
}
