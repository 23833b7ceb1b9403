import { InvalidList, InvalidString } from '../../../core/http/errors.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Quality } from './chunk-store.js';

const TYPES = ['chunk', 'frame', 'context_image', 'preview'] as const;

/** What a request for media asks for. */
export interface MediaQuery {
  readonly type: (typeof TYPES)[number];
  readonly quality: Quality;
  readonly number: number | null;
  /** Chunks of jobs only. */
  readonly index: number | null;
}

/**
 * Reads `type`, `quality`, `number` and `index`.
 * @param of jobs have `index`, tasks have not
 * @throws InvalidList, InvalidString with the contract's texts
 */
export function readMediaQuery(query: Query, of: 'task' | 'job'): MediaQuery {
  const type = TYPES.find((known) => known === parameter(query, 'type'));
  if (type === undefined) throw new InvalidList('Data type not specified or has wrong value');
  const quality = parameter(query, 'quality') || 'compressed';
  if (quality !== 'compressed' && quality !== 'original') throw new InvalidList('Wrong quality value');
  const number = readNumber(query, 'number');
  const index = of === 'job' && type === 'chunk' ? readNumber(query, 'index') : null;
  if (number !== null && index !== null) throw new InvalidList('Number and Index cannot be used together');
  if (number === null && index === null && type !== 'preview') throw missing(type, of);
  return { type, quality, number, index };
}

function missing(type: MediaQuery['type'], of: 'task' | 'job'): InvalidList | InvalidString {
  if (type === 'context_image' && of === 'task')
    return new InvalidString("Invalid frame 'None'. A frame number is needed");
  return new InvalidList(
    of === 'job' && type === 'chunk' ? 'Number or Index is not specified' : 'Number is not specified',
  );
}

function readNumber(query: Query, name: string): number | null {
  const text = parameter(query, name);
  if (text === '') return null;
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidList(`"${name}" must be a whole number`);
  return Number(text);
}
