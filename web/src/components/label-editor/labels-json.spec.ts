import { fromJson, toJson } from './labels-json';

describe('labels as JSON', () => {
  it('are read as they were written', () => {
    const labels = [
      {
        id: 3,
        name: 'cat',
        color: '#ff0000',
        type: 'rectangle',
        attributes: [
          { id: 5, name: 'fur', input_type: 'select', mutable: true, default_value: 'a', values: ['a', 'b'] },
        ],
      },
      {
        name: 'pose',
        color: '#00ff00',
        type: 'skeleton',
        attributes: [],
        sublabels: [{ name: 'eye', color: '' }],
        svg: '<g/>',
      },
    ];
    const read = fromJson(JSON.stringify(labels));
    expect(JSON.parse(toJson(read))).toMatchObject(labels);
  });

  it.each([
    ['[{ "name": "a" },\n  oops]', /line 2, column 3/],
    ['[{ "name": "a"', /line 1, column 15/],
    ['{}', /a list/],
    ['[{ "name": "a" }, 5]', /^\[1\] is no object/],
    ['[{ "color": "#fff" }]', /^\[0\] has no "name"/],
    ['[{ "name": 7 }]', /^\[0\]\.name is no text/],
    ['[{ "name": "a", "type": "blob" }]', /^\[0\]\.type is "blob", which is none of: any/],
    ['[{ "name": "a", "attributes": {} }]', /^\[0\]\.attributes is no list/],
    [
      '[{ "name": "a", "attributes": [{ "name": "b", "input_type": "x" }] }]',
      /^\[0\]\.attributes\[0\]\.input_type is "x"/,
    ],
    [
      '[{ "name": "a", "attributes": [{ "name": "b", "values": [1] }] }]',
      /^\[0\]\.attributes\[0\]\.values\[0\] is no text/,
    ],
    ['[{ "name": "a", "sublabels": [{}] }]', /^\[0\]\.sublabels\[0\] has no "name"/],
  ])('%s is refused by its place', (text, reason) => {
    expect(() => fromJson(text)).toThrow(reason);
  });
});
