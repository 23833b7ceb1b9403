import type { Label } from '../../../app/api';
import { drawingLabel, refusal, toolFor, typesOfTool, usableLabels } from './drawing-label';
import { DRAWN_TYPES } from './sketch';

const label = (id: number, name: string, type: Label['type']): Label => ({ id, name, type }) as unknown as Label;
const car = label(1, 'car', 'any');
const blurry = label(2, 'blurry', 'tag');
const sky = label(3, 'sky', 'mask');
const person = label(4, 'person', 'skeleton');
const lane = label(5, 'lane', 'polyline');
const labels = [car, blurry, sky, person, lane];
const none = { labelId: null, isLabelUsed: false };
const selected = ({ id }: Label) => ({ labelId: id ?? null, isLabelUsed: false });
const used = ({ id }: Label) => ({ labelId: id ?? null, isLabelUsed: true });

describe('drawingLabel', () => {
  it('is the first label that fits, until one is selected', () => {
    expect(drawingLabel(labels, none, ['skeleton'])).toEqual({ label: person, problem: undefined });
  });

  it('is the selected label if the tool can draw it', () => {
    expect(drawingLabel(labels, selected(sky), ['mask'])).toEqual({ label: sky, problem: undefined });
  });

  it.each(labels.flatMap((one) => DRAWN_TYPES.map((type) => [one, type] as const)))(
    'draws a label that was just selected, or refuses: %j as %s',
    (one, type) => {
      const { label: shown, problem } = drawingLabel(labels, selected(one), [type]);
      const fits = one.type === type || (one.type === 'any' && type !== 'skeleton');
      expect([shown, problem === undefined]).toEqual([one, fits]);
    },
  );

  it('says what the label is for', () => {
    const { problem } = drawingLabel(labels, selected(blurry), ['rectangle']);
    expect(problem).toBe('The label blurry is only for tags, not for rectangles. Select another label.');
  });

  it('is another label if objects with the selected one were drawn', () => {
    expect(drawingLabel(labels, used(person), ['rectangle'])).toEqual({ label: car, problem: undefined });
  });

  it('is the selected label again when its tool is back', () => {
    expect(drawingLabel(labels, used(lane), ['polyline']).label).toBe(lane);
  });

  it('is a tag without a label that fits', () => {
    expect(drawingLabel([blurry], none, ['rectangle'])).toEqual({
      label: blurry,
      problem: 'No label of this job can be used for rectangles.',
    });
  });

  it('fits clicks if the result can be a mask or a polygon', () => {
    expect(drawingLabel(labels, selected(sky), typesOfTool('clicks')).problem).toBeUndefined();
  });
});

describe('usableLabels', () => {
  it('lists the labels of all types in images', () => {
    expect(usableLabels(labels, DRAWN_TYPES)).toEqual(labels);
  });

  it('lists the labels for cuboids and tags in point clouds', () => {
    expect(usableLabels(labels, ['cuboid'])).toEqual([car, blurry]);
  });
});

describe('toolFor', () => {
  it.each([
    ['keeps a tool that can draw the label', lane, 'polyline', 'polyline'],
    ['keeps a tool that draws nothing', sky, 'select', 'select'],
    ['takes the tool of the label', sky, 'rectangle', 'mask'],
    ['takes the tool of a skeleton', person, 'scissors', 'skeleton'],
    ['keeps clicks for masks', sky, 'clicks', 'clicks'],
    ['ends drawing for a tag', blurry, 'rectangle', 'select'],
    ['ends drawing a skeleton for a label without one', car, 'skeleton', 'select'],
  ] as const)('%s', (_title, one, tool, expected) => {
    expect(toolFor(one, tool)).toBe(expected);
  });
});

describe('refusal', () => {
  it('names a label of any type that has no skeleton', () => {
    expect(refusal(car, ['skeleton'])).toBe('The label car cannot be used for skeletons. Select another label.');
  });
});
