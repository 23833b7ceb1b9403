import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** The slate of the logo. */
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

/** Greys of the dark scheme, from text to background, with the same hue. */
const dark: MantineColorsTuple = [
  '#d9e0e4',
  '#bcc6cc',
  '#a8b3ba',
  '#6c7881',
  '#46525a',
  '#353f46',
  '#272e33',
  '#1d2226',
  '#15191c',
  '#101315',
];

/** The header of a dialog must not be a landmark: the page has one header. */
const NO_BANNER = { header: { role: 'presentation' } };

export const theme = createTheme({
  primaryColor: 'slate',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  colors: { slate, dark },
  defaultRadius: 'md',
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'Cascadia Mono', 'Liberation Mono', Menlo, Consolas, monospace",
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.2rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Plain objects: importing a component here would load it with every page.
  components: {
    Accordion: { styles: { item: { backgroundColor: 'var(--surface)' } } },
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Anchor: { defaultProps: { underline: 'always' } },
    Fieldset: { styles: { legend: { fontWeight: 600 } } },
    // Its placeholder element for the initial focus is not a valid child of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Drawer: { defaultProps: { attributes: NO_BANNER } },
    Modal: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: NO_BANNER },
      styles: { title: { fontWeight: 650, lineHeight: 1.35 } },
    },
    Notification: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { root: { backgroundColor: 'var(--surface)' }, description: { color: 'var(--mantine-color-dimmed)' } },
    },
  },
});

/** Dark enough for white text. */
const DEEP_RED = { '--mantine-color-red-filled': '#c92a2a', '--mantine-color-red-filled-hover': '#b02525' };

/** Greys with sufficient contrast on every surface, unlike the defaults of the components. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...DEEP_RED,
    '--mantine-color-dimmed': '#54616a',
    '--mantine-color-placeholder': '#66727b',
    '--mantine-color-error': '#b3261e',
  },
  dark: {
    ...DEEP_RED,
    '--mantine-color-dimmed': '#a8b3ba',
    '--mantine-color-placeholder': '#98a4ab',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-teal-light': '#16382f',
    '--mantine-color-orange-light': '#46301a',
    '--mantine-color-red-light': '#43211f',
    '--mantine-color-red-light-hover': '#502825',
    '--mantine-color-red-light-color': '#ffb0a8',
  },
});
