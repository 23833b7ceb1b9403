import { NO_GESTURE, type Pointer, type ToolHost, TOOLS } from './tools';

const at = (x: number, y: number): Pointer => ({
  screen: { x, y },
  image: { x: x * 2, y: y * 2 },
  shift: false,
  alt: false,
  ctrl: false,
});

function host(): { done: unknown[][] } & ToolHost {
  const done: unknown[][] = [];
  return {
    done,
    panBy: (dx, dy) => done.push(['pan', dx, dy]),
    isPasting: false,
    pasteAt: (position) => done.push(['paste', position]),
    beginEdit: () => undefined,
    finish: () => done.push(['finish']),
    beginPainting: () => NO_GESTURE,
    draw: (type, from, to, isDrag) => done.push(['draw', type, from.image, to.image, isDrag]),
    sketchTo: (type, from, to) => done.push(['sketch', type, from.image, to.image]),
    chooseIn: (box) => done.push(['choose in', box]),
    choose: ({ image }) => done.push(['choose', image]),
    measure: (measurement) => done.push(['measure', measurement]),
    showBox: (box) => done.push(['box', box]),
    pinIssue: (position) => done.push(['place', position]),
  };
}

describe('tools', () => {
  it('choose by a click, and move the image by dragging', () => {
    const canvas = host();
    TOOLS.select.begin(at(1, 1), canvas).end(at(1, 1), false);
    const drag = TOOLS.select.begin(at(1, 1), canvas);
    drag.move(at(5, 2));
    drag.move(at(6, 4));
    drag.end(at(6, 4), true);
    expect(canvas.done).toEqual([
      ['choose', { x: 2, y: 2 }],
      ['pan', 4, 1],
      ['pan', 1, 2],
    ]);
  });

  it('paste by clicks with Ctrl while pasting', () => {
    const canvas = host();
    const held = { ...at(1, 1), ctrl: true };
    TOOLS.select.begin(held, canvas).end(held, false);
    TOOLS.select.begin(held, { ...canvas, isPasting: true }).end(held, false);
    TOOLS.select.begin(at(1, 1), { ...canvas, isPasting: true }).end(at(1, 1), false);
    expect(canvas.done.map(([what]) => what)).toEqual(['choose', 'paste', 'choose']);
  });

  it('measure a distance by dragging', () => {
    const canvas = host();
    const drag = TOOLS.ruler.begin(at(1, 1), canvas);
    drag.move(at(4, 5));
    drag.end(at(4, 5), true);
    expect(canvas.done).toEqual([
      ['measure', undefined],
      ['measure', { from: { x: 2, y: 2 }, to: { x: 8, y: 10 } }],
    ]);
  });

  it('choose what is in a box when Shift is held', () => {
    const canvas = host();
    const shift = (x: number, y: number) => ({ ...at(x, y), shift: true });
    const drag = TOOLS.select.begin(shift(10, 20), canvas);
    drag.move(shift(5, 30));
    drag.end(shift(5, 30), true);
    expect(canvas.done.at(-1)).toEqual(['choose in', { left: 10, top: 40, right: 20, bottom: 60 }]);
  });

  it('pin an issue to a place, or to a box whichever way it is drawn', () => {
    const canvas = host();
    TOOLS.issue.begin(at(3, 4), canvas).end(at(3, 4), false);
    const drag = TOOLS.issue.begin(at(10, 20), canvas);
    drag.move(at(5, 30));
    drag.end(at(5, 30), true);
    const box = { left: 10, top: 40, right: 20, bottom: 60 };
    expect(canvas.done).toEqual([
      ['box', undefined],
      ['place', [6, 8]],
      ['box', box],
      ['box', undefined],
      ['place', [10, 40, 20, 60]],
    ]);
  });

  it('leave nothing behind when they are cancelled', () => {
    const canvas = host();
    const drag = TOOLS.issue.begin(at(10, 20), canvas);
    drag.move(at(5, 30));
    drag.cancel();
    expect(canvas.done.at(-1)).toEqual(['box', undefined]);
  });
});
