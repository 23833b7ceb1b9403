// The photographs of the demo and their annotations.

import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./photos/', import.meta.url));

/** Labels of the demo's project with their shapes. */
export const labels = [
  {
    name: 'animal',
    color: '#2f9e44',
    type: 'any',
    attributes: [
      {
        name: 'species',
        mutable: false,
        input_type: 'select',
        default_value: 'unknown',
        values: ['unknown', 'cat', 'raccoon'],
      },
    ],
  },
  { name: 'person', color: '#1971c2', type: 'rectangle', attributes: [] },
  { name: 'object', color: '#e8590c', type: 'any', attributes: [] },
  { name: 'indoors', color: '#868e96', type: 'tag', attributes: [] },
];

/** Annotations of each photograph, in pixels. */
export const marks = {
  'astronaut.jpg': [{ label: 'person', type: 'rectangle', points: [20, 10, 365, 512] }],
  'chelsea.jpg': [
    { label: 'animal', species: 'cat', type: 'rectangle', points: [0, 0, 406, 300] },
    { label: 'indoors', type: 'tag' },
  ],
  'coffee.jpg': [
    { label: 'object', type: 'ellipse', points: [277, 222, 479, 58] },
    { label: 'indoors', type: 'tag' },
  ],
  'hubble-deep-field.jpg': [{ label: 'object', type: 'points', points: [727, 474, 122, 400] }],
  'raccoon.jpg': [
    {
      label: 'animal',
      species: 'raccoon',
      type: 'polygon',
      points: [430, 90, 505, 40, 560, 110, 760, 90, 880, 40, 940, 110, 870, 330, 660, 500, 520, 400, 440, 250],
    },
  ],
  'retina.jpg': [{ label: 'object', type: 'ellipse', points: [252, 652, 335, 560] }],
  'rocket.jpg': [{ label: 'object', type: 'rectangle', points: [306, 125, 338, 405] }],
};

/** Reads the photographs, sorted by name as on the server. */
export async function readPhotographs() {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(folder + name) })));
}

/**
 * Returns the annotations as the body of PUT `/api/jobs/{id}/annotations`.
 *
 * @param frames name of each photograph and its frame number
 * @param projectLabels labels of the project from the server
 */
export function toAnnotations(frames, projectLabels) {
  const byName = new Map(projectLabels.map((label) => [label.name, label]));
  const tags = [];
  const shapes = [];
  for (const { name, frame } of frames) {
    for (const mark of marks[name] ?? []) {
      const label = byName.get(mark.label);
      const attributes = 'species' in mark ? [{ spec_id: label.attributes[0].id, value: mark.species }] : [];
      const common = { frame, label_id: label.id, attributes };
      if (mark.type === 'tag') tags.push(common);
      else shapes.push({ ...common, type: mark.type, points: mark.points });
    }
  }
  return { version: 0, tags, shapes, tracks: [] };
}
