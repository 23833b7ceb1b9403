import { describe, expect, it } from '@jest/globals';
import type { LabelChangeDto, LabelRow } from './label.dto.js';
import { LabelPlan } from './label-plan.js';

const attribute = (id: number, name: string) => ({
  id,
  name,
  mutable: false,
  input_type: 'text',
  default_value: '',
  values: [],
});

const row = (id: number, name: string, others: Partial<LabelRow> = {}): LabelRow => ({
  id,
  name,
  color: `#00000${id}`,
  type: 'any',
  attributes: [],
  project_id: 1,
  task_id: null,
  parent_id: null,
  svg: null,
  sublabels: [],
  ...others,
});

const CAR = row(1, 'car', { attributes: [attribute(10, 'make'), attribute(11, 'year')] });
const PERSON = row(2, 'person');
const SKELETON = row(3, 'body', {
  type: 'skeleton',
  sublabels: [
    { id: 4, name: 'head', color: '#111111', type: 'points', attributes: [] },
    { id: 5, name: 'hand', color: '#222222', type: 'points', attributes: [] },
  ],
});

function planned(...changes: LabelChangeDto[]): LabelPlan {
  const plan = new LabelPlan([CAR, PERSON, SKELETON]);
  for (const change of changes) plan.apply(change);
  return plan;
}

describe('what becomes of labels', () => {
  it('gives a new label a colour that no other has, the same for the same name', () => {
    const color = (...names: string[]): string[] => {
      const plan = new LabelPlan([]);
      for (const name of names) plan.create({ name });
      return plan.added.map((label) => label.color);
    };
    const [first = ''] = color('car');
    expect(color('bus', 'car')[1]).toBe(first);
    const [tree, car] = planned({ id: 1, name: 'van' }, { name: 'tree', color: '#2080C0' }, { name: 'car' }).added;
    expect([first, tree?.color]).toEqual(['#2080c0', '#2080C0']);
    expect(car?.color).not.toBe(first);
  });

  it.each<[string, Partial<LabelChangeDto>]>([
    ['without one', {}],
    ['with an empty one', { color: '' }],
    ['of the name alone', { name: 'van' }],
  ])('keeps the colour of a label in a change %s', (_, change) => {
    expect([...planned({ ...change, id: 1 }).changed].map(({ color }) => color)).toEqual([CAR.color]);
  });

  it('adds a skeleton before its joints', () => {
    const plan = new LabelPlan([]);
    plan.create({
      name: 'arm',
      type: 'skeleton',
      svg: '<g/>',
      sublabels: [{ name: 'a', type: 'points' }, { name: 'b' }],
    });
    expect(plan.added.map(({ name, parent, svg, type }) => [name, parent?.name, svg, type])).toEqual([
      ['arm', undefined, '<g/>', 'skeleton'],
      ['a', 'arm', undefined, 'points'],
      ['b', 'arm', undefined, 'any'],
    ]);
    plan.create({ name: 'leg', type: 'skeleton' });
    expect(plan.added.at(-1)?.svg).toBe('');
  });

  it('applies each change to what those before it have left', () => {
    const plan = planned({ id: 1, name: 'van' }, { name: 'car' }, { id: 2, deleted: true }, { name: 'person' });
    expect([...plan.changed].map(({ id, name }) => [id, name])).toEqual([[1, 'van']]);
    expect(plan.added.map(({ name }) => name)).toEqual(['car', 'person']);
    expect(plan.deleted).toEqual([2]);
  });

  it('keeps nothing of a change of what is then deleted, joints included', () => {
    const plan = planned({ id: 4, name: 'top' }, { id: 3, name: 'figure' }, { id: 3, deleted: true });
    expect([plan.deleted, plan.changed.size]).toEqual([[3], 0]);
    expect(() => plan.apply({ id: 5, name: 'hand' })).toThrow('Not found label with id #5 to change');
  });

  it('changes joints like any label', () => {
    const plan = planned({ id: 4, name: 'person', color: '#abcdef' }, { id: 5, deleted: true });
    expect([...plan.changed].map(({ name, color }) => [name, color])).toEqual([['person', '#abcdef']]);
    expect(plan.deleted).toEqual([5]);
  });

  it.each<[Partial<LabelChangeDto>, string]>([
    [{ type: 'polygon' }, 'polygon'],
    [{ type: 'skeleton' }, 'any'],
    [{}, 'any'],
  ])('never makes a skeleton of a label, nor a label of a skeleton (%j)', (change, becomes) => {
    expect([...planned({ ...change, id: 1 }).changed][0]?.type).toBe(becomes);
    expect([...planned({ ...change, id: 3 }).changed][0]?.type).toBe('skeleton');
  });

  it.each<[string, LabelChangeDto[]]>([
    ['All label names must be unique', [{ name: 'car' }]],
    ['All label names must be unique', [{ color: '#fff' }]],
    ['All label names must be unique', [{ id: 2, name: 'car' }]],
    ['All label names must be unique', [{ name: 'bus' }, { id: 2, name: 'bus' }]],
    ['All label names must be unique', [{ name: 'b', sublabels: [{ name: 'x' }, { name: 'x' }] }]],
    ['Not found label with id #9 to change', [{ id: 9, name: 'x' }]],
    [
      'Not found label with id #2 to change',
      [
        { id: 2, deleted: true },
        { id: 2, name: 'x' },
      ],
    ],
    ['Attribute name is required', [{ name: 'bus', attributes: [{ mutable: true }] }]],
    ['Attribute name is required', [{ id: 1, attributes: [{ mutable: true }] }]],
    ['Attribute with id #12 does not exist', [{ id: 1, attributes: [{ id: 12 }] }]],
    ["Duplicate attribute with name 'a' exists", [{ name: 'bus', attributes: [{ name: 'a' }, { name: 'a' }] }]],
    ["Duplicate attribute with name 'year' exists", [{ id: 1, attributes: [{ id: 10, name: 'year' }] }]],
    [
      "Duplicate attribute with name 'x' exists",
      [
        {
          id: 1,
          attributes: [
            { id: 10, name: 'x' },
            { id: 11, name: 'x' },
          ],
        },
      ],
    ],
    ['All label names must be unique', [{ id: 4, name: 'hand' }]],
  ])('refuses with %j (%#)', (message, changes) => {
    expect(() => planned(...changes)).toThrow(message);
  });

  it('changes attributes by id or name, and adds those of other names', () => {
    const plan = planned({
      id: 1,
      attributes: [
        { id: 10, name: 'brand' },
        { name: 'year', values: ['1'] },
        { name: 'wheels', default_value: '4' },
        { name: 'wheels', mutable: true },
      ],
    });
    expect([...plan.changedAttributes.values()]).toEqual([
      { ...attribute(10, 'brand') },
      { ...attribute(11, 'year'), values: ['1'] },
    ]);
    expect([...plan.changed][0]?.attributes[2]).toEqual({
      name: 'wheels',
      mutable: true,
      input_type: 'text',
      default_value: '4',
      values: [],
    });
  });
});
