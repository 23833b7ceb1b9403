import { maskBitmap } from '#shared/annotations/mask';
import { pointsFault } from '#shared/annotations/model';
import * as fc from 'fast-check';
import { MaskPainting } from './mask-painting';

const SIZE = { width: 24, height: 18 };
const IMAGE = { left: 0, top: 0, right: 23, bottom: 17 };

const anyCoordinate = fc.double({ min: -4, max: 28, noNaN: true });
const anyStroke = fc.record({
  at: fc.record({ x: anyCoordinate, y: anyCoordinate }),
  to: fc.record({ x: anyCoordinate, y: anyCoordinate }),
  size: fc.integer({ min: 1, max: 6 }),
  form: fc.constantFrom('round' as const, 'square' as const),
  pixel: fc.constantFrom(0 as const, 1 as const, 1 as const),
});
const anyPolygon = fc.record({
  polygon: fc.array(anyCoordinate, { minLength: 6, maxLength: 6 }),
  pixel: fc.constantFrom(0 as const, 1 as const),
});
const anyStep = fc.oneof(anyStroke, anyPolygon);
type AnyStep = typeof anyStep extends fc.Arbitrary<infer Step> ? Step : never;

function paint(painting: MaskPainting, step: AnyStep): void {
  if ('polygon' in step) painting.fill(step.polygon, step.pixel);
  else painting.stroke(step.at, step.to, step, step.pixel);
}

const pixelsOf = ({ bitmap }: MaskPainting): number[] => [...bitmap.pixels];

describe('a mask while it is painted', () => {
  it('is restored by undoing every step, and repeated by redoing it', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 8 }), (steps) => {
        const painting = new MaskPainting(SIZE, [3, 9, 4, 5, 7, 8]);
        const before = pixelsOf(painting);
        for (const step of steps) {
          paint(painting, step);
          painting.endStep();
        }
        const after = pixelsOf(painting);
        while (painting.undo());
        expect(pixelsOf(painting)).toEqual(before);
        expect(painting.hasSteps).toBe(false);
        while (painting.redo());
        expect(pixelsOf(painting)).toEqual(after);
      }),
    );
  });

  it('is as before a step that is cancelled', () => {
    fc.assert(
      fc.property(anyStep, anyStep, (first, second) => {
        const painting = new MaskPainting(SIZE);
        paint(painting, first);
        painting.endStep();
        const before = pixelsOf(painting);
        paint(painting, second);
        painting.cancelStep();
        expect(pixelsOf(painting)).toEqual(before);
      }),
    );
  });

  it('reports every change as dirty', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyStep, fc.constantFrom('undo' as const, 'redo' as const))), (steps) => {
        const painting = new MaskPainting(SIZE);
        for (const step of steps) {
          const before = pixelsOf(painting);
          if (step === 'undo') painting.undo();
          else if (step === 'redo') painting.redo();
          else {
            paint(painting, step);
            painting.endStep();
          }
          const dirty = painting.takeDirty() ?? { left: 1, top: 1, right: 0, bottom: 0 };
          const unreported = pixelsOf(painting).filter((pixel, at) => {
            const [x, y] = [at % SIZE.width, Math.floor(at / SIZE.width)];
            const isDirty = x >= dirty.left && x <= dirty.right && y >= dirty.top && y <= dirty.bottom;
            return !isDirty && pixel !== before[at];
          });
          expect(unreported).toEqual([]);
        }
        expect(painting.takeDirty()).toBeUndefined();
      }),
    );
  });

  it('is saved within the smallest box, and reads back exactly', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 5 }), (steps) => {
        const painting = new MaskPainting(SIZE);
        for (const step of steps) paint(painting, step);
        const points = painting.points();
        if (points === undefined) return expect(pixelsOf(painting)).not.toContain(1);
        expect(pointsFault('mask', points)).toBeUndefined();
        expect(pixelsOf(new MaskPainting(SIZE, points))).toEqual(pixelsOf(painting));
        const { left, top, right, bottom } = maskBitmap(points, IMAGE) ?? IMAGE;
        expect(points.slice(-4)).toEqual([left, top, right, bottom]);
      }),
    );
  });

  it('has no step where nothing changed', () => {
    const painting = new MaskPainting(SIZE, [0, 4, 2, 2, 3, 3]);
    const at = { x: 2.5, y: 2.5 };
    painting.stroke(at, at, { size: 1, form: 'round' }, 1);
    painting.endStep();
    expect(painting.hasSteps).toBe(false);
  });
});
