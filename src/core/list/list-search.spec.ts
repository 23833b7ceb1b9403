import { describe, expect, it } from '@jest/globals';
import { searchTerms } from './list-search.js';

describe('searchTerms', () => {
  it.each([
    ['', []],
    [' , ', []],
    ['one two,three', ['one', 'two', 'three']],
    [',one,,two, ', ['one', 'two']],
    ['"gold task" b', ['gold task', 'b']],
    ["'gold, task',b", ["'gold", "task'", 'b']],
    ["'gold task', b", ['gold task', 'b']],
    ['"say \\"hi\\" \\\\"', ['say "hi" \\']],
    ['it"s open', ['it"s', 'open']],
    ['"', ['"']],
    ['""', []],
    [',,"a b",,', ['a b']],
    ['50% a_b', ['50%', 'a_b']],
  ])('%j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms);
  });
});
