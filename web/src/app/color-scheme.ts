/** The key under which Mantine stores the color scheme. */
const KEY = 'mantine-color-scheme-value';

/** Applies the color scheme before the app has loaded. */
export function applyColorScheme(): void {
  const selected = localStorage.getItem(KEY);
  const isDark =
    selected === 'dark' || (selected !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}
