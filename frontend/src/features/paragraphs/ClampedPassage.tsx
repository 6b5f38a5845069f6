/** A passage cut after a few lines. Outside of links the rest can be unfolded. */
import { Button } from '@mantine/core';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type PassageProps, PassageText } from './PassageText';
import classes from './PassageText.module.css';

interface Props extends PassageProps {
  lines: number;
  unfolds?: boolean;
}

export function ClampedPassage({ lines, unfolds = false, ...passage }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text may be higher in the same box
  useEffect(() => {
    const element = box.current;
    if (!element || open) return;
    const observer = new ResizeObserver(() => setLong(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [open, passage.text]);
  return (
    <>
      <div
        ref={box}
        className={classes.clamp}
        style={{ '--lines': lines } as CSSProperties}
        data-long={(isLong && !open) || undefined}
        data-open={open || undefined}
      >
        <PassageText {...passage} />
      </div>
      {unfolds && isLong && (
        <Button
          size="compact-xs"
          variant="subtle"
          ml={-8}
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          style={{ alignSelf: 'flex-start' }}
        >
          {open ? t('knowledge.readLess') : t('knowledge.readMore')}
        </Button>
      )}
    </>
  );
}
