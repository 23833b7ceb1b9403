import { describe, expect, it } from '@jest/globals';
import { agentRules, defaultMapping, MappingInvalid, readMapping, resolveMapping, SERVER_RULES } from './mapping.js';

const size = (input_type = 'number', values = ['0', '10', '1']) => ({ name: 'size', input_type, values });
const label = (name: string, type: string, attributes: ReturnType<typeof size>[] = []) => ({ name, type, attributes });
const withIds = <T extends { attributes: ReturnType<typeof size>[] }>(id: number, one: T) => ({
  ...one,
  id,
  attributes: one.attributes.map((attribute, at) => ({ ...attribute, id: 100 * id + at })),
});

const SKELETON = { ...label('person', 'skeleton'), sublabels: [label('head', 'points'), label('tail', 'points')] };
const OF_TASK = [
  withIds(1, label('car', 'rectangle', [size()])),
  withIds(2, label('road', 'polygon')),
  { ...withIds(3, label('person', 'skeleton')), sublabels: [withIds(4, label('head', 'points'))] },
  withIds(5, label('thing', 'any')),
];

describe('a default mapping', () => {
  it('has what has equal names and fits together', () => {
    const ofFunction = [label('car', 'any', [size('text', []), { ...size(), name: 'age' }]), label('road', 'mask'), SKELETON, label('thing', 'tag'), label('other', 'any')]; // prettier-ignore
    expect(defaultMapping(ofFunction, OF_TASK, SERVER_RULES)).toEqual({
      car: { name: 'car', attributes: { size: 'size' } },
      road: { name: 'road', attributes: {} },
      person: { name: 'person', attributes: {}, sublabels: { head: { name: 'head', attributes: {} } } },
      thing: { name: 'thing', attributes: {} },
    });
  });

  it.each([
    ['mask', 'polygon', true, false, true],
    ['polygon', 'mask', true, false, false],
    ['skeleton', 'any', false, true, true],
    ['any', 'skeleton', false, true, true],
    ['rectangle', 'any', true, true, true],
    ['rectangle', 'ellipse', false, false, false],
  ])('of a %s to a %s label depends on who converts', (from, to, byServer, byAgent, byAgentAsPolygon) => {
    const pair = [label('a', from), withIds(1, label('a', to))] as const;
    const rules = [SERVER_RULES, agentRules({ masksToPolygons: false }), agentRules({ masksToPolygons: true })];
    expect(rules.map((one) => one.label(...pair))).toEqual([byServer, byAgent, byAgentAsPolygon]);
  });

  it.each([
    [size('select', ['a', 'b']), size('select', ['b', 'a']), true],
    [size('select', ['a']), size('select', ['b', 'a']), false],
    [size('number', ['0', '9', '1']), size('number', ['0', '9', '3']), false],
    [size('text', ['x']), size('text', []), true],
    [size('text', []), size('checkbox', []), false],
  ])('for an agent leaves out attributes that it would refuse (%#)', (from, to, fits) => {
    const { attribute } = agentRules({ masksToPolygons: false });
    expect(attribute(from, { ...to, id: 1 })).toBe(fits);
  });
});

describe('readMapping', () => {
  const read = (sent: unknown) => readMapping(sent, [label('cat', 'any', [size()]), SKELETON], OF_TASK, SERVER_RULES);

  it('states attributes and elements of every label', () => {
    expect(read({ cat: { name: 'car' }, person: { name: 'person', sublabels: { tail: { name: 'head' } } } })).toEqual({
      cat: { name: 'car', attributes: {} },
      person: { name: 'person', attributes: {}, sublabels: { tail: { name: 'head', attributes: {} } } },
    });
  });

  it.each([undefined, null, {}])('takes %j for equal names', (sent) => {
    expect(Object.keys(read(sent))).toEqual(['person']);
  });

  it.each([
    [[], 'The mapping must be an object'],
    [{ cat: 'car' }, 'The entry of "cat" must be an object'],
    [{ cat: {} }, 'The name in the entry of "cat" must be a string'],
    [{ dog: { name: 'car' } }, 'Unknown model label "dog"'],
    [{ cat: { name: 'dog' } }, 'Unknown db label "dog"'],
    [{ cat: { name: 'person' } }, 'Model label "cat" and database label "person" are not compatible'],
    [{ cat: { name: 'car', attributes: { x: 'size' } } }, 'Unknown model attribute "x"'],
    [{ cat: { name: 'car', attributes: { size: 'x' } } }, 'Unknown db attribute "x"'],
    [{ person: { name: 'person' } }, 'Mapping for elements was not specified in skeleton "person" '],
  ])('refuses %j', (sent, what) => {
    expect(() => read(sent)).toThrow(new MappingInvalid(what));
  });

  it('survives names of JavaScript', () => {
    const sent = JSON.parse('{"__proto__": {"name": "car"}}') as unknown;
    expect(() => read(sent)).toThrow(new MappingInvalid('Unknown model label "__proto__"'));
  });
});

describe('resolveMapping', () => {
  it('finds the labels and attributes of the task', () => {
    const mapping = {
      cat: { name: 'car', attributes: { big: 'size', old: 'gone' } },
      dog: { name: 'gone', attributes: {} },
    };
    const resolved = resolveMapping(mapping, OF_TASK);
    expect([...resolved.keys()]).toEqual(['cat']);
    expect([...(resolved.get('cat')?.attributes ?? [])].map(([name, { id }]) => [name, id])).toEqual([['big', 100]]);
  });

  it('takes equal names for attributes and elements that an entry does not state', () => {
    const resolved = resolveMapping({ cat: { name: 'car' } }, OF_TASK);
    expect([...(resolved.get('cat')?.attributes.keys() ?? [])]).toEqual(['size']);
    const body = { ...withIds(9, label('body', 'skeleton')), sublabels: OF_TASK };
    const elements = resolveMapping({ body: { name: 'body' } }, [body]).get('body')?.sublabels;
    expect([...(elements?.keys() ?? [])]).toEqual(OF_TASK.map(({ name }) => name));
  });
});
