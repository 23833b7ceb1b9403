/**
 * Settings of PostgreSQL that suit this server's statements. The embedded server has them for all sessions; of any other
 * each session asks for them, for its own may be the defaults of a distribution.
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // Short statements: compiling them costs more than it saves.
  jit: 'off',
  // Solid-state disks.
  random_page_cost: '1.1',
};

/** For the `options` of a connection. */
export const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
