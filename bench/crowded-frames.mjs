// Frames with many shapes, and the same shapes slightly moved: what a ground truth and an annotator draw.

/** Equal numbers for equal seeds. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const POINTS = {
  rectangle: ({ x, y, w, h }) => [x, y, x + w, y + h],
  polygon: ({ x, y, w, h }) => [x, y, x + w, y, x + w, y + h, x + w / 2, y + h * 0.8, x, y + h],
  ellipse: ({ x, y, w, h }) => [x + w / 2, y + h / 2, x + w, y],
  polyline: ({ x, y, w, h }) => [x, y, x + w, y + h, x, y + h],
  points: ({ x, y }) => [x, y],
  mask({ x, y, w, h }) {
    const [left, top, width, height] = [x, y, w, h].map(Math.round);
    return [0, width * height, left, top, left + width - 1, top + height - 1];
  },
};

/** All types, rectangles and polygons more often. */
export const EVERY_TYPE = ['rectangle', 'rectangle', 'polygon', 'polygon', 'mask', 'polyline', 'points', 'ellipse'];

/**
 * @param {{frames: number, shapes: number, types: string[], size: {width: number, height: number}, labels: number}} plan
 *   `shapes` is the number of each frame
 * @returns {{groundTruth: object[], annotations: object[]}} shapes as in the API
 */
export function crowdedFrames({ frames, shapes, types, size, labels }) {
  const random = randomNumbers(7);
  const [groundTruth, annotations] = [[], []];
  for (let frame = 0; frame < frames; frame += 1) {
    for (let at = 0; at < shapes; at += 1) {
      const type = types[at % types.length];
      const [w, h] = [20 + random() * 60, 20 + random() * 60];
      const place = { x: random() * (size.width - w), y: random() * (size.height - h), w, h };
      const moved = { ...place, x: place.x + random() * 6 - 3, y: place.y + random() * 6 - 3 };
      const shape = { id: groundTruth.length + 1, label_id: 1 + Math.floor(random() * labels), type, frame, ...REST };
      groundTruth.push({ ...shape, points: POINTS[type](place), attributes: [], elements: [] });
      annotations.push({ ...shape, points: POINTS[type](moved), attributes: [], elements: [] });
    }
  }
  return { groundTruth, annotations };
}

const REST = { group: 0, source: 'manual', occluded: false, outside: false, z_order: 0, rotation: 0, score: 1 };
