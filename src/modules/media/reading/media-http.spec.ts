import { describe, expect, it } from '@jest/globals';
import { InvalidList } from '../../../core/http/errors/errors.js';
import { readMediaQuery } from './media-http.js';

describe('readMediaQuery', () => {
  it('defaults to compressed quality', () => {
    const expected = { type: 'chunk', quality: 'compressed', number: 3, index: null };
    expect(readMediaQuery({ type: 'chunk', number: '3' }, 'task')).toEqual(expected);
  });

  it.each<[Record<string, string>, 'task' | 'job', string]>([
    [{}, 'task', 'Data type not specified or has wrong value'],
    [{ type: 'x' }, 'task', 'Data type not specified or has wrong value'],
    [{ type: 'chunk', number: '0', quality: 'x' }, 'task', 'Wrong quality value'],
    [{ type: 'chunk' }, 'task', 'Number is not specified'],
    [{ type: 'chunk' }, 'job', 'Number or Index is not specified'],
    [{ type: 'frame' }, 'job', 'Number is not specified'],
    [{ type: 'chunk', number: '0', index: '0' }, 'job', 'Number and Index cannot be used together'],
    [{ type: 'frame', number: 'x' }, 'job', '"number" must be a whole number'],
  ])('rejects %j of a %s', (query, of, text) => {
    expect(() => readMediaQuery(query, of)).toThrow(new InvalidList(text));
  });
});
