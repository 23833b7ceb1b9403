import { createHash } from 'node:crypto';

/**
 * Supervisely refers to objects by random UUIDs. Ours are derived from what they refer to, so that the lists of keys can
 * be written without keeping the keys of a million annotations.
 */
export type Keys = (kind: 'tag' | 'object' | 'figure' | 'video', ...numbers: readonly number[]) => string;

/** @param dataset distinguishes the keys of exports */
export const keysOf =
  (dataset: string): Keys =>
  (kind, ...numbers) => {
    const hash = createHash('sha1')
      .update([dataset, kind, ...numbers].join('/'))
      .digest();
    // The bits that say that this is a UUID (RFC 9562) of version 5.
    hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
    hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
    const hex = hash.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
  };
