/** The original's pages as images; the boxes of the paragraph that is looked at are marked on them. */
import { ActionIcon, Button, Group, NumberInput, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { withWorkspace } from '../../api/credentials';
import type { ParagraphView } from '../../api/generated/types.gen';
import classes from './PageImages.module.css';
import type { Original } from './useOriginal';

/** Pixels a PDF point at which pages are drawn; boxes are in points. */
const scale = 2;

interface Props {
  original: Original;
  looked: ParagraphView | null;
}

export function PageImages({ original, looked }: Props) {
  const { pageCount } = original;
  const { t } = useTranslation();
  const [page, setPage] = useState(looked?.page ?? 1);
  const lookedPage = looked?.page;
  useEffect(() => {
    if (lookedPage) setPage(lookedPage);
  }, [lookedPage]);
  const go = (to: number) => setPage(Math.min(pageCount, Math.max(1, to)));
  return (
    <section className={classes.frame} aria-label={t('document.original')}>
      <Group justify="center" gap="xs" mb="xs">
        <ActionIcon aria-label={t('document.previousPage')} disabled={page <= 1} onClick={() => go(page - 1)}>
          <IconChevronLeft size={18} />
        </ActionIcon>
        <NumberInput
          size="xs"
          w={64}
          hideControls
          min={1}
          max={pageCount}
          aria-label={t('document.pageNumber')}
          value={page}
          onChange={(value) => typeof value === 'number' && go(value)}
        />
        <Text size="sm" c="dimmed">
          {t('document.ofPages', { count: pageCount })}
        </Text>
        <ActionIcon
          aria-label={t('document.nextPage')}
          disabled={page >= pageCount}
          onClick={() => go(page + 1)}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
      <PageImage key={page} original={original} page={page} boxes={looked?.boxes ?? []} />
    </section>
  );
}

function PageImage({ original, page, boxes }: { original: Original; page: number; boxes: number[][] }) {
  const { t } = useTranslation();
  const [points, setPoints] = useState<{ width: number; height: number } | null>(null);
  const [broken, setBroken] = useState(false);
  const firstMark = useRef<HTMLDivElement>(null);
  const here = boxes.filter((box) => box[0] === page);
  const firstBox = here[0]?.join();
  useEffect(() => {
    if (points && firstBox) firstMark.current?.scrollIntoView({ block: 'nearest' });
  }, [points, firstBox]);
  if (broken) {
    return (
      <Group gap="sm" justify="center">
        <Text c="dimmed">{t('document.pageBroken')}</Text>
        <Button size="compact-sm" variant="default" onClick={() => setBroken(false)}>
          {t('common.retry')}
        </Button>
      </Group>
    );
  }
  return (
    <div className={classes.scroll}>
      <div className={classes.sheet} data-loading={points === null || undefined}>
        <img
          src={withWorkspace(`${original.address}/pages/${page}.png?scale=${scale}`)}
          alt={
            original.version === null
              ? t('document.pageImage', { page })
              : t('document.versionPage', { page, version: original.version })
          }
          className={classes.image}
          onLoad={({ currentTarget }) =>
            setPoints({
              width: currentTarget.naturalWidth / scale,
              height: currentTarget.naturalHeight / scale,
            })
          }
          onError={() => setBroken(true)}
        />
        {points &&
          here.map(([, x0 = 0, y0 = 0, x1 = 0, y1 = 0], index) => (
            <div
              key={[x0, y0, x1, y1].join()}
              ref={index === 0 ? firstMark : undefined}
              className={classes.mark}
              style={{
                left: `${(x0 / points.width) * 100}%`,
                top: `${(y0 / points.height) * 100}%`,
                width: `${((x1 - x0) / points.width) * 100}%`,
                height: `${((y1 - y0) / points.height) * 100}%`,
              }}
            />
          ))}
      </div>
    </div>
  );
}
