// npm run bench:operations: the memory that the undo history of a day of work takes, in Node.js and without a
// page. Needs a build.

import { AnnotationDocument } from '../dist/shared/annotations/editing/document.js';

const OBJECTS = 1_000;
const STEPS = [5_000, 50_000, 100_000];
const CHANGES = {
  'change of a flag': (shape) => ({ ...shape, occluded: !shape.occluded }),
  move: (shape) => ({ ...shape, points: shape.points.map((value) => value + 1) }),
};

console.log(
  `| operation | ${STEPS.map((count) => `after ${count}`).join(' | ')} |\n| --- |${' --- |'.repeat(STEPS.length)}`,
);
for (const [name, change] of Object.entries(CHANGES)) {
  const grown = measure(change).map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`| ${name} | ${grown.join(' | ')} |`);
}

/** @returns how many bytes the heap has grown after each of the steps */
function measure(change) {
  const document = new AnnotationDocument(
    Array.from({ length: OBJECTS }, (_, at) => ({ id: at + 1, object: { kind: 'shape', value: rectangle(at) } })),
  );
  const keys = Array.from(document.entries(), ([key]) => key);
  const before = used();
  const grown = [];
  for (let count = 1; count <= STEPS.at(-1); count += 1) {
    const key = keys[count % keys.length];
    document.change('Change', [[key, { kind: 'shape', value: change(document.get(key).value) }]]);
    if (STEPS.includes(count)) grown.push(used() - before);
  }
  return grown;
}

function used() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function rectangle(at) {
  return {
    id: null,
    label_id: 1,
    group: 0,
    source: 'manual',
    attributes: [],
    type: 'rectangle',
    frame: at % 100,
    occluded: false,
    outside: false,
    z_order: 0,
    rotation: 0,
    points: [at, at, at + 10, at + 10],
    score: 1,
    elements: [],
  };
}
