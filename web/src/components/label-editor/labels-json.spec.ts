import { fromJson, toJson } from './labels-json';

describe('labels as JSON', () => {
  it('round-trips labels', () => {
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
    ['{}', /must be a list/],
    ['[{ "name": "a" }, 5]', /^\[1\] must be an object/],
    ['[{ "color": "#fff" }]', /^\[0\] has no "name"/],
    ['[{ "name": 7 }]', /^\[0\]\.name must be a string/],
    ['[{ "name": "a", "type": "blob" }]', /^\[0\]\.type is "blob", which is not one of: any/],
    ['[{ "name": "a", "attributes": {} }]', /^\[0\]\.attributes must be a list/],
    [
      '[{ "name": "a", "attributes": [{ "name": "b", "input_type": "x" }] }]',
      /^\[0\]\.attributes\[0\]\.input_type is "x"/,
    ],
    [
      '[{ "name": "a", "attributes": [{ "name": "b", "values": [1] }] }]',
      /^\[0\]\.attributes\[0\]\.values\[0\] must be a string/,
    ],
    ['[{ "name": "a", "sublabels": [{}] }]', /^\[0\]\.sublabels\[0\] has no "name"/],
  ])('rejects %s and says where', (text, reason) => {
    expect(() => fromJson(text)).toThrow(reason);
  });
});
