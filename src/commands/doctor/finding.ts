export type State = 'ok' | 'warning' | 'error';

/** The result of one check: its subject, what it found and, unless all is well, what to do. */
export interface Finding {
  readonly state: State;
  readonly subject: string;
  readonly text: string;
  readonly advice?: string;
}

export const ok = (subject: string, text: string): Finding => ({ state: 'ok', subject, text });
export const warning = (subject: string, text: string, advice: string): Finding => ({
  state: 'warning',
  subject,
  text,
  advice,
});
export const failure = (subject: string, text: string, advice: string): Finding => ({
  state: 'error',
  subject,
  text,
  advice,
});

/** One line for a finding, and one for its advice. */
export function findingText({ state, subject, text, advice }: Finding): string {
  const line = `${state.padEnd(8)} ${subject.padEnd(16)} ${text}`;
  return advice === undefined ? line : `${line}\n${' '.repeat(26)}${advice}`;
}

/** A human-readable number of bytes. */
export const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GB`;

/** First line of an error's message. */
export const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return (message || code || String(error)).split('\n')[0] ?? '';
};
