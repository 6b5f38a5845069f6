/**
 * Bars over time, drawn by the page itself: one series in two parts, the second (errors) on top of the first.
 * The chart is a picture with a name; its numbers stand in a table that is read out instead.
 */
import { Text } from '@mantine/core';
import classes from './Bars.module.css';

export interface Bar {
  key: string;
  label: string;
  value: number;
  /** The part of `value` that is marked. */
  marked: number;
  shown: string;
}

interface Props {
  title: string;
  bars: readonly Bar[];
  valueName: string;
  top: string;
}

/** About so many labels fit below the bars on a phone. */
const LABELS = 5;

export function Bars({ title, bars, valueName, top }: Props) {
  const most = Math.max(...bars.map((bar) => bar.value), 0);
  const every = Math.max(1, Math.ceil(bars.length / LABELS));
  const share = (value: number) => `${most > 0 ? (100 * value) / most : 0}%`;
  return (
    <figure className={classes.figure} aria-label={title}>
      <Text size="xs" c="dimmed" aria-hidden>
        {top}
      </Text>
      <div className={classes.plot} aria-hidden>
        {bars.map((bar) => (
          <div key={bar.key} className={classes.slot} title={`${bar.label}: ${bar.shown}`}>
            <div className={classes.bar} style={{ height: share(bar.value) }}>
              <div
                className={classes.marked}
                style={{ height: bar.value > 0 ? `${(100 * bar.marked) / bar.value}%` : 0 }}
              />
            </div>
          </div>
        ))}
      </div>
      <div className={classes.labels} aria-hidden>
        {bars.map((bar, index) => (
          <span key={bar.key} className={classes.label}>
            {index % every === 0 ? bar.label : ''}
          </span>
        ))}
      </div>
      <div className="rd-hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.key}>
                <th scope="row">{bar.label}</th>
                <td>{`${bar.shown} ${valueName}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
