import { defaultMapping, isCompatible, sentMapping } from './label-mapping';
import type { ModelLabel } from './model';

const label = (name: string, type = 'any', more: Partial<ModelLabel> = {}): ModelLabel => ({
  name,
  type,
  attributes: [],
  ...more,
});
const attribute = (name: string) => ({ name, input_type: 'text', values: [] });

describe('the mapping of labels', () => {
  it('uses compatible labels with the same name, and prefers the same case', () => {
    const labels = [
      { id: 1, name: 'Cat', type: 'any' },
      { id: 2, name: 'cat', type: 'rectangle' },
      { id: 3, name: 'DOG', type: 'any' },
      { id: 4, name: 'bird', type: 'tag' },
    ];
    const found = ['cat', 'dog', 'bird', 'fish'].map((name) => label(name, 'rectangle'));
    expect([...defaultMapping(found, labels)]).toEqual([
      ['cat', 2],
      ['dog', 3],
    ]);
  });

  it.each([
    ['rectangle', 'rectangle', true],
    ['rectangle', 'any', true],
    ['any', 'polygon', true],
    ['unknown', 'polygon', true],
    ['mask', 'polygon', true],
    ['polygon', 'mask', true],
    ['rectangle', 'polygon', false],
    ['skeleton', 'skeleton', true],
    ['skeleton', 'any', false],
    ['any', 'skeleton', false],
  ])('of %s to %s: %s', (from, to, isPossible) => {
    expect(isCompatible({ type: from }, { type: to })).toBe(isPossible);
  });

  it('is sent with the attributes and sublabels that both have', () => {
    const from = [
      label('car', 'any', { attributes: [attribute('color'), attribute('doors')] }),
      label('unused'),
      label('person', 'skeleton', { sublabels: [label('head', 'points'), label('tail', 'points')] }),
    ];
    const to = [
      { id: 7, name: 'vehicle', type: 'any', attributes: [{ name: 'color' }] },
      { id: 8, name: 'person', type: 'skeleton', sublabels: [{ id: 9, name: 'head', type: 'points' }] },
    ];
    const mapping = new Map([
      ['car', 7],
      ['person', 8],
      ['unused', 99],
    ]);
    expect(sentMapping(from, to, mapping)).toEqual({
      car: { name: 'vehicle', attributes: { color: 'color' } },
      person: { name: 'person', attributes: {}, sublabels: { head: { name: 'head', attributes: {} } } },
    });
  });
});
