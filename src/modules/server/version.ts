import { readFileSync } from 'node:fs';

/** The official clients warn about servers of another version. */
export const CLIENT_VERSION = '2.80.0';

let version: string | undefined;

/** This package's own version. */
export function packageVersion(): string {
  version ??= (
    JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version;
  return version;
}
