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

/** Settings that the text form of values depends on. */
export const TRACKED_SETTINGS: Readonly<Record<string, string>> = { timezone: 'UTC', datestyle: 'ISO' };

/** Timeouts for statements and idle transactions that are longer than any that is intended. */
const TIMEOUTS: Readonly<Record<string, string>> = {
  statement_timeout: '300000',
  idle_in_transaction_session_timeout: '120000',
};

/** Settings that are stored for the role if sessions come from a pooler, which passes on no others. */
export const ROLE_SETTINGS: Readonly<Record<string, string>> = { ...SESSION_SETTINGS, ...TIMEOUTS };

/** Settings of the connections in the pool. */
export const POOL_SETTINGS: Readonly<Record<string, string>> = { ...ROLE_SETTINGS, ...TRACKED_SETTINGS };

/** Formats settings for the `options` of a connection. */
export const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
