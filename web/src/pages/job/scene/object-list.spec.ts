import { searchObjects } from './object-list';
import type { SceneObject } from './scene';

const object = (values: Partial<SceneObject>): SceneObject =>
  ({
    id: 1,
    kind: 'shape',
    type: 'polygon',
    labelName: 'car',
    source: 'manual',
    attributes: [],
    ...values,
  }) as SceneObject;

describe('searchObjects', () => {
  const car = object({ id: 12, attributes: [{ id: 1, name: 'colour', value: 'Red' }] });
  const person = object({ id: 2, kind: 'track', labelName: 'Person', occluded: true });
  const found = (search: string): number[] => searchObjects([car, person], search).map(({ id }) => id);

  it.each([
    ['', [12, 2]],
    ['CAR', [12]],
    ['track occluded', [2]],
    ['colour:red', [12]],
    ['#2', [2]],
    ['car person', []],
  ])('%p', (search, expected) => expect(found(search)).toEqual(expected));
});
