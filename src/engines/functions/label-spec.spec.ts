import { describe, expect, it } from '@jest/globals';
import { type FunctionLabel, labelSpecProblem } from './label-spec.js';

const label = (name: string, rest: Partial<FunctionLabel> = {}): FunctionLabel => ({
  name,
  type: 'any',
  attributes: [],
  ...rest,
});
const size = { name: 'size', input_type: 'text', values: [] };

describe('labelSpecProblem', () => {
  it('accepts distinct labels', () => {
    const body = label('body', { type: 'skeleton', sublabels: [label('head', { attributes: [size] })] });
    expect(labelSpecProblem([label('cat', { attributes: [size] }), body])).toBeUndefined();
  });

  it.each([
    [[label('cat'), label('dog'), label('cat')], 'The label "cat" is repeated.'],
    [[label('cat', { attributes: [size, size] })], 'The attribute "size" of the label "cat" is repeated.'],
    [[label('cat', { sublabels: [label('head')] })], 'The label "cat" has sublabels, but its type is not skeleton.'],
    [[label('body', { type: 'skeleton' })], 'The skeleton "body" has no sublabels.'],
    [
      [label('body', { type: 'skeleton', sublabels: [label('head'), label('head')] })],
      'The sublabel "head" of the label "body" is repeated.',
    ],
    [
      [label('body', { type: 'skeleton', sublabels: [label('head', { attributes: [size, size] })] })],
      'The attribute "size" of the sublabel "head" is repeated.',
    ],
  ])('names the problem (%#)', (labels, problem) => {
    expect(labelSpecProblem(labels)).toBe(problem);
  });
});
