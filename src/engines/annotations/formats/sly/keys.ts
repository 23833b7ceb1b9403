import { hash } from 'node:crypto';

/**
 * Supervisely refers to objects by random UUIDs. Ours are derived from what they refer to, so that the lists of keys can
 * be written without keeping the keys of a million annotations.
 */
export type Keys = (kind: 'tag' | 'object' | 'figure' | 'video', ...numbers: readonly number[]) => string;

/** @param dataset distinguishes the keys of exports */
export const keysOf =
  (dataset: string): Keys =>
  (kind, ...numbers) => {
    const hex = hash('sha1', `${dataset}/${kind}/${numbers.join('/')}`);
    // The digits 5 and 8 to b say that this is a UUID (RFC 9562) of version 5.
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
