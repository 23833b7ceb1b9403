import { describe, expect, it } from '@jest/globals';
import { DescriptionInvalid, readDescription } from './description.js';

const NUCLIO = {
  metadata: {
    name: 'pth-sam',
    annotations: {
      name: 'Segment Anything',
      type: 'interactor',
      version: '2',
      min_pos_points: '1',
      min_neg_points: '0',
      startswith_box: 'False',
      startswith_box_optional: 'true',
      help_message: 'Click',
    },
  },
  spec: { description: 'From a paper' },
  status: { httpPort: 32_000 },
};

describe('readDescription', () => {
  it('reads items of Nuclio, whose annotations are texts', () => {
    expect(readDescription(NUCLIO)).toEqual({
      id: 'pth-sam',
      kind: 'interactor',
      name: 'Segment Anything',
      description: 'From a paper',
      version: 2,
      labels: [],
      minPosPoints: 1,
      minNegPoints: 0,
      startsWithBox: false,
      startsWithBoxOptional: true,
      shapeTypes: null,
      helpMessage: 'Click',
      animatedGif: '',
    });
  });

  it('reads labels from a text or a list', () => {
    const spec = [
      { name: 'car', id: 0, attributes: [{ name: 'age', input_type: 'number', values: [0, 9, 1] }] },
      { name: 'person', type: 'skeleton', svg: '<svg/>', sublabels: [{ name: 'head' }] },
    ];
    const labels = [
      { name: 'car', type: 'any', attributes: [{ name: 'age', input_type: 'number', values: ['0', '9', '1'] }] },
      { name: 'person', type: 'skeleton', attributes: [], svg: '<svg/>', sublabels: [{ name: 'head', type: 'points', attributes: [] }] },
    ]; // prettier-ignore
    for (const sent of [spec, JSON.stringify(spec)])
      expect(readDescription({ id: 'yolo', kind: 'detector', spec: sent }).labels).toEqual(labels);
  });

  it('reads the shapes of trackers', () => {
    const typesOf = (supported_shape_types: unknown) =>
      readDescription({ id: 't', type: 'tracker', supported_shape_types }).shapeTypes;
    expect([typesOf('rectangle, polygon'), typesOf(['points']), typesOf(undefined)]).toEqual([
      ['rectangle', 'polygon'],
      ['points'],
      null,
    ]);
  });

  const detector = (spec: unknown) => ({ id: 'd', type: 'detector', spec });
  it.each([
    [[], 'The description must be a JSON object'],
    [{ id: 'a/b', type: 'reid' }, 'the id must consist of letters, digits and _.- and must not be a number'],
    [{ id: '7', type: 'reid' }, 'the id must consist of letters, digits and _.- and must not be a number'],
    [{ id: 'a', type: 'classifier' }, 'type must be one of detector, interactor, reid, tracker'],
    [{ id: 'a', type: 'reid', version: 'new' }, 'version must be an integer'],
    [{ id: 'a', type: 'tracker', supported_shape_types: '' }, 'supported_shape_types is empty'],
    [{ id: 'a', type: 'tracker', supported_shape_types: 'circle' }, '"circle" is not a type of shapes'],
    [detector('['), 'spec is not valid JSON'],
    [detector({}), 'spec must be a list of labels'],
    [detector([{}]), 'a label has no name'],
    [detector([{ name: 'a' }, { name: 'a' }]), 'two labels have the same name'],
    [detector([{ name: 'a', type: 'circle' }]), 'the label "a" has an unknown type'],
    [detector([{ name: 'a', type: 'skeleton' }]), 'the skeleton "a" needs sublabels and svg'],
    [detector([{ name: 'a', attributes: [{}] }]), 'an attribute needs a name and an input_type'],
  ])('refuses %j', (sent, what) => {
    expect(() => readDescription(sent)).toThrow(new DescriptionInvalid(what));
  });
});
