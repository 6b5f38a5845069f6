/**
 * The one theme: warm paper, ink, one accent (the green of a reading lamp). Every colour, face and radius of
 * the page comes from here; style sheets only use the variables. All text pairs are WCAG AA in both schemes.
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const paper: MantineColorsTuple = [
  '#faf8f3',
  '#f4f0e8',
  '#ebe6db',
  '#ded7c9',
  '#c9c0af',
  '#a89e8c',
  '#6b6254',
  '#544c41',
  '#39332b',
  '#211d18',
];
const night: MantineColorsTuple = [
  '#ece6da',
  '#d3cbbd',
  '#b0a797',
  '#8a8172',
  '#443e36',
  '#332e28',
  '#25211c',
  '#181613',
  '#131110',
  '#0d0c0b',
];
const lamp: MantineColorsTuple = [
  '#eef6f2',
  '#dbece4',
  '#b6d9ca',
  '#8fc6b1',
  '#6fb79b',
  '#4a9c80',
  '#33856a',
  '#1f6652',
  '#185242',
  '#113d31',
];
const brick: MantineColorsTuple = [
  '#fbf0ed',
  '#f5dbd4',
  '#e9b5a8',
  '#df9180',
  '#e08a78',
  '#cf5f49',
  '#b8452f',
  '#a03a26',
  '#842e1d',
  '#672315',
];
const amber: MantineColorsTuple = [
  '#fcf4e3',
  '#f7e6c3',
  '#eccf93',
  '#e2b964',
  '#d9a94a',
  '#b9852a',
  '#96681a',
  '#7f5613',
  '#68460f',
  '#4f350b',
];

const sans =
  '-apple-system, "Segoe UI Variable Text", "Segoe UI", "Helvetica Neue", "Noto Sans", "PingFang SC", ' +
  '"Hiragino Sans GB", "Microsoft YaHei UI", "Noto Sans CJK SC", "Source Han Sans SC", sans-serif';
const serif =
  '"Iowan Old Style", Charter, "Source Serif 4", Georgia, "Noto Serif", "Songti SC", "Noto Serif CJK SC", ' +
  '"Source Han Serif SC", "Microsoft YaHei UI", serif';
const mono = 'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "Noto Sans Mono CJK SC", monospace';

const dialogStyles = {
  content: { backgroundColor: 'var(--rd-surface)' },
  header: { backgroundColor: 'var(--rd-surface)' },
  title: { fontWeight: 600, fontSize: '1.0625rem' },
};

export const theme = createTheme({
  fontFamily: sans,
  fontFamilyMonospace: mono,
  headings: { fontFamily: sans, fontWeight: '600' },
  colors: { gray: paper, dark: night, lamp, red: brick, yellow: amber },
  primaryColor: 'lamp',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  black: '#211d18',
  white: '#ffffff',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '18px' },
  shadows: {
    xs: '0 1px 2px rgb(60 45 20 / 6%)',
    sm: '0 1px 3px rgb(60 45 20 / 8%)',
    md: '0 6px 20px rgb(60 45 20 / 10%)',
    lg: '0 12px 32px rgb(60 45 20 / 14%)',
    xl: '0 20px 48px rgb(60 45 20 / 18%)',
  },
  // Plain objects instead of `Component.extend`, which would load every component named here with the first page.
  components: {
    Accordion: {
      styles: {
        item: { backgroundColor: 'var(--rd-surface)', borderColor: 'var(--rd-line)' },
        label: { fontWeight: 600 },
      },
    },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
    Button: { defaultProps: { fw: 550 } },
    Checkbox: { defaultProps: { radius: 'sm' } },
    Drawer: { styles: dialogStyles },
    Loader: { defaultProps: { type: 'dots' } },
    Modal: {
      defaultProps: { centered: true, overlayProps: { blur: 2, opacity: 0.4 } },
      styles: dialogStyles,
    },
    NavLink: { defaultProps: { variant: 'light' } },
    Select: { defaultProps: { allowDeselect: false, checkIconPosition: 'right' } },
    // As large as a thumb needs it.
    Slider: { defaultProps: { thumbSize: 24 } },
    Table: { vars: () => ({ table: { '--table-border-color': 'var(--rd-line)' } }) },
    Tooltip: { defaultProps: { openDelay: 350, withArrow: true, multiline: true, maw: 320 } },
  },
});

/** Meaningful names over the palettes; Mantine's own variables are pointed at them. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--rd-serif': serif },
  light: {
    '--rd-page': paper[0],
    '--rd-surface': '#fffefb',
    '--rd-sunken': paper[1],
    '--rd-line': '#e6dfd2',
    '--rd-line-strong': '#8d8372',
    '--rd-ink': paper[9],
    '--rd-ink-soft': paper[7],
    '--rd-ink-faint': paper[6],
    '--rd-accent': lamp[7],
    '--rd-accent-wash': '#e9f2ed',
    '--rd-mark': '#fdf0bd',
    '--rd-mark-line': '#c79a1e',
    '--rd-danger': brick[7],
    '--rd-warning': amber[7],
    '--mantine-color-body': paper[0],
    '--mantine-color-text': paper[9],
    '--mantine-color-dimmed': paper[6],
    '--mantine-color-placeholder': '#736a5b',
    '--mantine-color-error': brick[7],
    '--mantine-color-default': '#fffefb',
    '--mantine-color-default-hover': paper[1],
    '--mantine-color-default-border': '#d8d0c1',
    '--mantine-color-gray-light-color': paper[7],
    '--mantine-color-gray-text': paper[7],
    '--mantine-color-lamp-light-color': lamp[8],
    '--mantine-color-red-light-color': brick[8],
    '--mantine-color-red-text': brick[7],
    '--mantine-color-yellow-light-color': amber[8],
    '--mantine-color-anchor': lamp[7],
  },
  dark: {
    '--rd-page': night[7],
    '--rd-surface': '#201d19',
    '--rd-sunken': '#131110',
    '--rd-line': '#332e28',
    '--rd-line-strong': '#8a8172',
    '--rd-ink': night[0],
    '--rd-ink-soft': night[1],
    '--rd-ink-faint': night[2],
    '--rd-accent': lamp[4],
    '--rd-accent-wash': '#1f2d27',
    '--rd-mark': '#463a12',
    '--rd-mark-line': '#d9a94a',
    '--rd-danger': brick[4],
    '--rd-warning': amber[4],
    '--mantine-color-body': night[7],
    '--mantine-color-text': night[0],
    '--mantine-color-dimmed': night[2],
    '--mantine-color-placeholder': '#968d7d',
    '--mantine-color-error': brick[4],
    '--mantine-color-default': '#201d19',
    '--mantine-color-default-hover': night[6],
    '--mantine-color-default-border': night[4],
    '--mantine-color-gray-light-color': night[1],
    '--mantine-color-gray-text': night[1],
    // White words on the accent need a darker green than words in the accent do.
    '--mantine-color-lamp-filled': '#2e7a61',
    '--mantine-color-lamp-filled-hover': '#286c56',
    '--mantine-color-red-filled': brick[6],
    '--mantine-color-red-filled-hover': brick[7],
    '--mantine-color-gray-filled': paper[6],
    '--mantine-color-gray-filled-hover': paper[7],
    '--mantine-color-lamp-light': 'rgb(111 183 155 / 16%)',
    '--mantine-color-lamp-light-hover': 'rgb(111 183 155 / 22%)',
    '--mantine-color-gray-light': 'rgb(176 167 151 / 14%)',
    '--mantine-color-gray-light-hover': 'rgb(176 167 151 / 20%)',
    '--mantine-color-lamp-light-color': lamp[3],
    '--mantine-color-red-light-color': '#eda596',
    '--mantine-color-red-text': brick[4],
    '--mantine-color-yellow-light-color': amber[3],
    '--mantine-color-anchor': lamp[4],
  },
});
