// Exports a project of photographs with their images in every format, compared with yazl alone, which writes the same
// files into an archive.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { photographs } from '../photographs.mjs';

const GOAL = 0.6;
const POLL_MS = 20;
const SHAPES_PER_PHOTOGRAPH = 100;
/** Photographs whose shapes are sent in one request. */
const BATCH = 50;

/** @param {import('../bench.mjs').Run} run */
export async function exports({ api, client, plan, say }) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-exports-'));
  const baseline = startProgram('baseline-zip');
  try {
    const { photographs: count, rounds } = plan.exports;
    const project = await projectOf({ api, client, files: await photographs(count, say) });
    say(`created a project of ${count} photographs with ${count * SHAPES_PER_PHOTOGRAPH} shapes`);
    const lines = [];
    const { exporters } = await api.get('/api/server/annotation/formats');
    for (const { name, dimension } of exporters) {
      if (dimension !== '2d' || !plan.formats.test(name)) continue;
      const paths = {
        archive: join(folder, 'export.zip'),
        copy: join(folder, 'copy.zip'),
        files: join(folder, 'files'),
      };
      const first = await exported(api, project, name, paths.archive);
      if (first.error !== undefined) {
        say(`${name}: ${first.error}`);
        continue;
      }
      const files = await baseline.call('extract', { archive: paths.archive, folder: paths.files });
      const numbers = await interleave(
        rounds,
        async () => (await exported(api, project, name)).seconds,
        () => baseline.call('write', { files, archive: paths.copy }),
      );
      const encodes = files.some((file) => file.name.endsWith('.png'));
      const alone = line({
        name: `${name}, ${count} photographs`,
        unit: 's',
        ...numbers,
        goal: encodes ? undefined : GOAL,
      });
      lines.push(alone);
      say(`${name}: ${alone.cairn.toFixed(2)} s, ${(alone.ratio * 100).toFixed(0)} %`);
      if (!encodes) continue;
      const { cairn } = numbers;
      const encoded = [];
      for (const _ of cairn) encoded.push(await baseline.call('encodeAndWrite', { files, archive: paths.copy }));
      lines.push(line({ name: '… compared with yazl and libvips', unit: 's', cairn, baseline: encoded, goal: GOAL }));
      say(`${name}, with encoding: ${(lines.at(-1).ratio * 100).toFixed(0)} %`);
    }
    return lines;
  } finally {
    await baseline.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a project with one task of the photographs, with rectangles and polygons. */
async function projectOf({ api, client, files }) {
  const { id: project } = await api.post('/api/projects', { name: 'Photographs', labels: [{ name: 'car' }] });
  const { id: task } = await api.post('/api/tasks', { name: 'Photographs', project_id: project });
  await client.call('upload', { base: api.url, headers: api.headers, task, files, quality: 70 });
  const labels = await api.get(`/api/labels?project_id=${project}`);
  for (let from = 0; from < files.length; from += BATCH) {
    const shapes = files.slice(from, from + BATCH).flatMap((_, at) => shapesOn(from + at, labels.results[0].id));
    await api.patch(`/api/tasks/${task}/annotations?action=create`, { shapes });
  }
  return project;
}

function shapesOn(frame, label_id) {
  return Array.from({ length: SHAPES_PER_PHOTOGRAPH }, (_, at) => {
    const [x, y] = [(at % 10) * 180 + 5.25, Math.floor(at / 10) * 100 + 4.5];
    const rectangle = { type: 'rectangle', points: [x, y, x + 120, y + 70] };
    const polygon = { type: 'polygon', points: [x, y, x + 120, y + 10, x + 90, y + 70, x + 20, y + 60] };
    return { frame, label_id, ...(at % 2 === 0 ? rectangle : polygon) };
  });
}

/** Exports the project. @param path where to store the archive; not stored if absent @returns seconds until it is ready */
async function exported(api, project, format, path) {
  const begin = performance.now();
  const query = `format=${encodeURIComponent(format)}&save_images=true`;
  const { rq_id: id } = await api.post(`/api/projects/${project}/dataset/export?${query}`);
  for (;;) {
    const request = await api.get(`/api/requests/${encodeURIComponent(id)}`);
    if (request.status === 'failed') return { error: request.message };
    if (request.status === 'finished') {
      const seconds = (performance.now() - begin) / 1000;
      if (path !== undefined) {
        const { pathname, search } = new URL(request.result_url);
        const { body } = await fetch(api.url + pathname + search, { headers: api.headers });
        await pipeline(Readable.fromWeb(body), createWriteStream(path));
      }
      return { seconds };
    }
    await pause(POLL_MS);
  }
}
