/**
 * Named values as people read them: a list of names and values, with values that hold others indented below their
 * name. `raw` adds a button that shows the same as JSON, to copy or to check.
 */
import { Button } from '@mantine/core';
import { IconBraces, IconList } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './Values.module.css';
import { isNested, isSimpleList } from './valueShape';

interface Props {
  values: Record<string, unknown>;
  label: string;
  raw?: boolean;
  /** How numbers are written; as they are unless said otherwise, since they may be numbers of orders or years. */
  numberText?: (value: number) => string;
}

export function Values({ values, label, raw = false, numberText = String }: Props) {
  const { t } = useTranslation();
  const [isRaw, setRaw] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-label={label} className={classes.values}>
      {isRaw ? (
        <Words text={JSON.stringify(values, null, 2)} />
      ) : (
        <Entries values={values} numberText={numberText} />
      )}
      {raw && Object.keys(values).length > 0 && (
        <Button
          mt={6}
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={isRaw ? <IconList size={14} aria-hidden /> : <IconBraces size={14} aria-hidden />}
          onClick={() => setRaw(!isRaw)}
        >
          {t(isRaw ? 'common.asList' : 'common.asJson')}
        </Button>
      )}
    </div>
  );
}

type NumberText = (value: number) => string;

function Entries({ values, numberText }: { values: object; numberText: NumberText }) {
  return (
    <dl className={classes.list}>
      {Object.entries(values).map(([name, value]) => (
        <div key={name} className={isNested(value) ? undefined : classes.row}>
          <dt className={classes.name}>{name}</dt>
          <dd className={isNested(value) ? classes.inner : classes.value}>
            <Value value={value} numberText={numberText} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value, numberText }: { value: unknown; numberText: NumberText }) {
  const { t } = useTranslation();
  if (Array.isArray(value) && value.length > 0 && !isSimpleList(value)) {
    return (
      <ol className={classes.items}>
        {value.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no id and never change places
          <li key={index}>
            <Value value={item} numberText={numberText} />
          </li>
        ))}
      </ol>
    );
  }
  if (isNested(value)) return <Entries values={value} numberText={numberText} />;
  const textOf = (one: unknown): string => {
    if (typeof one === 'number') return numberText(one);
    if (typeof one === 'boolean') return t(one ? 'common.yes' : 'common.no');
    return one === null || one === '' || typeof one === 'object' ? '—' : String(one);
  };
  const text =
    Array.isArray(value) && value.length > 0 ? value.map(textOf).join(t('common.comma')) : textOf(value);
  return text.length > 400 || text.split('\n').length > 6 ? <Words text={text} /> : text;
}

export function Words({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className={classes.words} tabIndex={0}>
      {text}
    </pre>
  );
}
