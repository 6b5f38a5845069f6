/** Search everything (Ctrl/⌘ K): bases, documents, applications, conversations, actions. Keyboard first. */
import { Loader, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './Palette.module.css';
import { type PaletteGroup, usePaletteItems } from './usePaletteItems';

export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const [query] = useDebouncedValue(words.trim(), 180);
  const { groups, searching } = usePaletteItems(words.trim(), query);
  const items = groups.flatMap((group) => group.items);
  const [active, setActive] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.min(active, Math.max(0, items.length - 1));
  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const choose = (index: number) => {
    const item = items[index];
    if (!item) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && items.length > 0) {
      event.preventDefault();
      setActive((at + step + items.length) % items.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(at);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size={620}
      padding={0}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      title={t('shell.search')}
      classNames={{ header: 'rd-hidden' }}
      transitionProps={{ duration: 80 }}
    >
      <TextInput
        data-autofocus
        size="lg"
        variant="unstyled"
        className={classes.field}
        leftSection={<IconSearch size={20} />}
        rightSection={searching ? <Loader size={16} /> : null}
        placeholder={t('shell.palettePlaceholder')}
        aria-label={t('shell.palettePlaceholder')}
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-activedescendant={items[at] ? `${listId}-${at}` : undefined}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={listId}
        ref={list}
        role="listbox"
        tabIndex={0}
        aria-label={t('shell.search')}
        className={classes.list}
        onKeyDown={onKeyDown}
      >
        {groups.map((group) => (
          <Group
            key={group.label}
            group={group}
            first={items.indexOf(group.items[0] as (typeof items)[number])}
            active={at}
            listId={listId}
            onHover={setActive}
            onChoose={choose}
          />
        ))}
      </div>
      {items.length === 0 && !searching && (
        <p className={classes.nothing} role="status">
          {t('shell.paletteEmpty', { query: words })}
        </p>
      )}
    </Modal>
  );
}

interface GroupProps {
  group: PaletteGroup;
  first: number;
  active: number;
  listId: string;
  onHover: (index: number) => void;
  onChoose: (index: number) => void;
}

function Group({ group, first, active, listId, onHover, onChoose }: GroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset inside a listbox would not be a group of options
    <div role="group" aria-label={group.label}>
      <div className={classes.label} aria-hidden>
        {group.label}
      </div>
      {group.items.map((item, offset) => {
        const index = first + offset;
        return (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field
          <div
            key={item.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            data-index={index}
            className={classes.option}
            onMouseMove={() => onHover(index)}
            onClick={() => onChoose(index)}
          >
            <item.Icon size={17} stroke={1.7} aria-hidden />
            <span className={classes.text}>{item.label}</span>
            {item.note && <span className={classes.note}>{item.note}</span>}
          </div>
        );
      })}
    </div>
  );
}
