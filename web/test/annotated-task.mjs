// Creates a task of photographs with every type of annotation through the API.
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ATTEMPTS = 600;

const LABELS = [
  { name: 'cat', color: '#ff2d55', type: 'any', attributes: [select('coat', ['tabby', 'black'])] },
  { name: 'face', color: '#00e5ff', type: 'any' },
  { name: 'whisker', color: '#ffd60a', type: 'any' },
  { name: 'box', color: '#30d158', type: 'any' },
  { name: 'blurred', color: '#bf5af2', type: 'tag' },
  {
    name: 'pose',
    color: '#ff9f0a',
    type: 'skeleton',
    sublabels: ['left eye', 'right eye', 'nose'].map((name) => ({ name, type: 'points', color: '#ff9f0a' })),
    svg: [
      ...[1, 2, 3].map(
        (id) =>
          `<circle r="1.5" cx="${id * 20}" cy="${id * 20}" data-type="element node" data-element-id="${id}" ` +
          `data-node-id="${id}" data-label-name="${['left eye', 'right eye', 'nose'][id - 1]}"></circle>`,
      ),
      '<line x1="20" y1="20" x2="60" y2="60" data-type="edge" data-node-from="1" data-node-to="3"></line>',
      '<line x1="40" y1="40" x2="60" y2="60" data-type="edge" data-node-from="2" data-node-to="3"></line>',
    ].join(''),
  },
];

function select(name, values) {
  return { name, mutable: true, input_type: 'select', default_value: values[0], values };
}

/**
 * @param api function `(method, path, body)` that sends API requests
 * @param server its `url`, and the `key` of the user
 * @param photos paths of the frames
 * @param more other fields of the task
 * @param data other fields of its data
 * @returns the IDs of task and job, and the labels by name
 */
export async function createTask(api, { url, key }, photos, more = {}, data = {}) {
  const task = await api('POST', '/tasks', { name: 'Photographs of animals', labels: LABELS, ...more });
  const form = new FormData();
  form.set('image_quality', '80');
  form.set('sorting_method', 'natural');
  for (const [name, value] of Object.entries(data)) form.set(name, value);
  for (const [at, path] of photos.entries())
    form.set(`client_files[${at}]`, await openAsBlob(path), `${at}-${basename(path)}`);
  const headers = { Authorization: `Token ${key}` };
  const answer = await fetch(`${url}/api/tasks/${task.id}/data`, { method: 'POST', headers, body: form });
  assert.equal(answer.status, 202, await answer.clone().text());
  const { rq_id: id } = await answer.json();
  await finished(api, id);
  const [job] = (await api('GET', `/jobs?task_id=${task.id}`)).results;
  const { results } = await api('GET', `/labels?task_id=${task.id}&page_size=100`);
  const labels = Object.fromEntries(results.map((label) => [label.name, label]));
  return { taskId: task.id, jobId: job.id, labels };
}

async function finished(api, id) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { status, message } = await api('GET', `/requests/${encodeURIComponent(id)}`);
    assert.notEqual(status, 'failed', message);
    if (status === 'finished') return;
    await pause(50);
  }
  throw new Error(`${id} was not finished in time`);
}

/** Returns one annotation of each type on frame 0, which has 451 x 300 pixels, and a track from there to `lastFrame`. */
export function everyKind(labels, lastFrame = 4) {
  const { cat, face, whisker, box, blurred, pose } = labels;
  const shape = (label, type, points, rest = {}) => ({ label_id: label.id, type, frame: 0, points, ...rest });
  const coat = [{ spec_id: cat.attributes[0].id, value: 'tabby' }];
  const [leftEye, rightEye, nose] = ['left eye', 'right eye', 'nose'].map((name) =>
    pose.sublabels.find((sublabel) => sublabel.name === name),
  );
  const element = (label, x, y) => ({ label_id: label.id, type: 'points', frame: 0, points: [x, y] });
  const tracked = (frame, points, rest = {}) => ({ type: 'rectangle', frame, points, ...rest });
  return {
    version: 0,
    tags: [{ label_id: blurred.id, frame: 0 }],
    shapes: [
      shape(cat, 'polygon', [120, 20, 240, 10, 330, 120, 300, 280, 90, 290, 60, 160], { attributes: coat }),
      shape(face, 'ellipse', [190, 110, 270, 40], { rotation: 10, z_order: 1 }),
      shape(box, 'rectangle', [20, 20, 90, 70], { rotation: 30, occluded: true, group: 1 }),
      shape(whisker, 'polyline', [150, 150, 90, 170, 60, 165, 40, 180], { z_order: 2 }),
      shape(whisker, 'points', [230, 150, 260, 160, 290, 158], { z_order: 2 }),
      shape(box, 'cuboid', [350, 200, 350, 270, 400, 200, 400, 270, 430, 180, 430, 250, 380, 180, 380, 250], {
        group: 1,
      }),
      shape(face, 'mask', discMask(380, 80, 40)),
      shape(pose, 'skeleton', [], {
        z_order: 3,
        elements: [element(leftEye, 165, 95), element(rightEye, 220, 92), element(nose, 195, 130)],
      }),
    ],
    tracks: [
      {
        label_id: cat.id,
        frame: 0,
        shapes: [
          tracked(0, [10, 220, 60, 290]),
          tracked(lastFrame, [210, 220, 260, 290]),
          tracked(lastFrame + 1, [210, 220, 260, 290], { outside: true }),
        ],
      },
    ],
  };
}

/** Returns a mask in the format of the API: run lengths row by row, starting with background, then the box. */
function discMask(cx, cy, radius) {
  const runs = [0];
  let current = 0;
  for (let y = -radius; y <= radius; y += 1) {
    for (let x = -radius; x <= radius; x += 1) {
      const pixel = Number(x * x + y * y <= radius * radius);
      if (pixel !== current) runs.push(0);
      current = pixel;
      runs[runs.length - 1] += 1;
    }
  }
  return [...runs, cx - radius, cy - radius, cx + radius, cy + radius];
}
