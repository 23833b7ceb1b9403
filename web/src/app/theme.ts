import {
  Alert,
  Anchor,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  Modal,
  Notification,
} from '@mantine/core';

/** Slate of the stones in the logo. */
const slate: MantineColorsTuple = [
  '#eef5f8',
  '#dde8ed',
  '#b8d0db',
  '#90b7c8',
  '#6fa2b8',
  '#5a95af',
  '#4a829b',
  '#3b6b81',
  '#325a6d',
  '#264756',
];

export const theme = createTheme({
  primaryColor: 'slate',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  colors: { slate },
  defaultRadius: 'md',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Mono', 'Liberation Mono', Menlo, Consolas, monospace",
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.2rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Modal: Modal.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
  },
});

/** Grey texts are readable on every surface, as the components' own greys are not everywhere. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#54616a',
    '--mantine-color-placeholder': '#66727b',
    '--mantine-color-error': '#b3261e',
  },
  dark: {
    '--mantine-color-dimmed': '#a8b3ba',
    '--mantine-color-placeholder': '#98a4ab',
    '--mantine-color-error': '#ff8a80',
  },
});
