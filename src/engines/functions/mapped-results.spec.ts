import { describe, expect, it } from '@jest/globals';
import { requireMapped } from './mapped-results.js';

const attribute = (id: number, name: string) => ({ id, name, input_type: 'text', values: [] });
const points = (id: number, name: string) => ({
  id,
  name,
  type: 'points',
  attributes: [attribute(id * 10, 'seen'), attribute(id * 10 + 1, 'depth')],
});
const LABELS = [
  { id: 1, name: 'car', type: 'any', attributes: [attribute(11, 'make'), attribute(12, 'plate')] },
  { id: 2, name: 'dog', type: 'any', attributes: [] },
  { id: 3, name: 'person', type: 'skeleton', attributes: [], sublabels: [points(4, 'head'), points(5, 'foot')] },
];
const MAPPING = {
  auto: { name: 'car', attributes: { brand: 'make' } },
  van: { name: 'car', attributes: {} },
  human: { name: 'person', attributes: {}, sublabels: { top: { name: 'head', attributes: { is_seen: 'seen' } } } },
};

const labelled = (label_id: number, spec_id?: number) => ({
  label_id,
  attributes: spec_id === undefined ? [] : [{ spec_id, value: 'x' }],
});
const check = (tags: object[], shapes: object[]): void =>
  requireMapped('annotations', { tags, shapes } as never, MAPPING, LABELS);
const shape = (label_id: number, elements: object[] = [], spec_id?: number): object => ({
  ...labelled(label_id, spec_id),
  elements,
});

describe('results of agents', () => {
  it('may have the labels, elements and attributes of the mapping', () => {
    expect(() => check([labelled(1, 11)], [shape(1), shape(3, [labelled(4, 40)])])).not.toThrow();
  });

  it.each([
    ['a tag with another label', [labelled(2)], [], 'the label "dog"'],
    ['a shape with another label', [], [shape(2)], 'the label "dog"'],
    ['another attribute', [], [shape(1, [], 12)], 'the attribute "plate" of "car"'],
    ['another element', [], [shape(3, [labelled(4), labelled(5)])], 'the label "foot"'],
    ['another attribute of an element', [], [shape(3, [labelled(4, 41)])], 'the attribute "depth" of "head"'],
  ])('cannot have %s', (_, tags, shapes, what) => {
    expect(() => check(tags, shapes)).toThrow(`The request does not ask for ${what}`);
  });

  it('are left to the check of annotations if the task does not have the label', () => {
    expect(() => check([labelled(99)], [shape(3, [labelled(1)])])).not.toThrow();
  });
});
