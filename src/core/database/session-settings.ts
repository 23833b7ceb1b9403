/**
 * PostgreSQL settings that suit this server's statements. The embedded server has them in its configuration. For any
 * other server each session sets them, because the distribution's defaults may differ.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // Compiling short statements costs more than it saves.
  jit: 'off',
  // Tuned for solid-state disks.
  random_page_cost: '1.1',
};

/** Formats settings for the `options` of a connection. */
export const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
