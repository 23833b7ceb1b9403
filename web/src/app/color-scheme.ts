/** Where the components keep what was chosen. */
const KEY = 'mantine-color-scheme-value';

/** Light or dark from the first moment on, as the components will have it. */
export function applyColorScheme(): void {
  const chosen = localStorage.getItem(KEY);
  const isDark = chosen === 'dark' || (chosen !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}
