import type { Person } from '../../../support/given.js';
import { worked } from '../../../support/given-exchange.js';
import type { Caller } from '../call.js';
import type { World } from '../world.js';

const FORMAT = 'CVAT%201.1';
const ANNOTATIONS = '<?xml version="1.0" encoding="utf-8"?><annotations><version>1.1</version></annotations>';
const FORM = { 'Content-Type': 'multipart/form-data; boundary=x' };
const fileOf = (field: string, name: string): Buffer =>
  Buffer.from(
    `--x\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n${ANNOTATIONS}\r\n--x--\r\n`,
  );

type Kind = 'projects' | 'tasks' | 'jobs';

const exporting = (kind: Kind): Record<string, Caller> => {
  const path = ({ projectId, taskId, jobId }: World): string =>
    `/api/${kind}/${{ projects: projectId, tasks: taskId, jobs: jobId }[kind]}/dataset`;
  return {
    [`POST /api/${kind}/{id}/dataset/export`]: (world) => [
      { path: `${path(world)}/export?format=COCO%201.0` },
      { path: `${path(world)}/export?format=None` },
    ],
    [`GET /api/${kind}/{id}/dataset/download`]: async (world, actor) => [
      { path: `${path(world)}/download?rq_id=${encodeURIComponent(await finishedExport(world, actor, path(world)))}` },
      { path: `${path(world)}/download` },
    ],
  };
};

/** The id of an export that this person started, or no id if it was refused. */
async function finishedExport(world: World, actor: Person, path: string): Promise<string> {
  const asked = await actor.http.post(`${path}/export?format=COCO%201.0`);
  const { rq_id: id = 'refused' } = asked.body as { rq_id?: string };
  await worked(world.app, actor, id);
  return id;
}

const importing = (kind: Kind): Record<string, Caller> => {
  const sub = kind === 'projects' ? 'dataset' : 'annotations';
  const file = kind === 'projects' ? fileOf('dataset_file', 'a.zip') : fileOf('annotation_file', 'a.xml');
  const place = async (world: World): Promise<string> => {
    if (kind === 'projects') return `/api/projects/${world.projectId}/dataset/`;
    const { id, jobs } = await world.photos();
    return `/api/${kind}/${kind === 'tasks' ? id : jobs[0]}/annotations/`;
  };
  const LENGTH = { 'Upload-Length': '4', 'Upload-Metadata': 'filename YS54bWw=' };
  const announced = async (world: World, actor: Person): Promise<string> => {
    const path = await place(world);
    const answer = await actor.http.post(path).set(LENGTH);
    return answer.status === 201 ? new URL(answer.headers['location'] ?? '').pathname : `${path}1_unknown`;
  };
  return {
    [`POST /api/${kind}/{id}/${sub}/`]: async (world) => {
      const path = await place(world);
      return [
        { path, headers: { 'Upload-Start': '' } },
        { path, headers: LENGTH },
        { path: `${path}?format=None`, headers: FORM, body: file },
        { path: `${path}?format=${FORMAT}`, headers: FORM, body: file },
        { path: `${path}?format=${FORMAT}`, headers: FORM, body: file },
      ];
    },
    [`OPTIONS /api/${kind}/{id}/${sub}/`]: async (world) => ({ path: await place(world) }),
    [`HEAD /api/${kind}/{id}/${sub}/{fileId}`]: async (world, actor) => ({ path: await announced(world, actor) }),
    [`PATCH /api/${kind}/{id}/${sub}/{fileId}`]: async (world, actor) => ({
      path: await announced(world, actor),
      headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: Buffer.from('half'),
    }),
  };
};

const backups = (kind: 'projects' | 'tasks'): Record<string, Caller> => {
  const file = fileOf(`${kind.slice(0, -1)}_file`, 'a.zip');
  const object = async (world: World): Promise<string> =>
    kind === 'projects' ? `/api/projects/${world.projectId}` : `/api/tasks/${(await world.photos()).id}`;
  const LENGTH = { 'Upload-Length': '4', 'Upload-Metadata': 'filename YS56aXA=' };
  const announced = async (actor: Person): Promise<string> => {
    const answer = await actor.http.post(`/api/${kind}/backup/`).set(LENGTH);
    return answer.status === 201 ? new URL(answer.headers['location'] ?? '').pathname : `/api/${kind}/backup/1_unknown`;
  };
  return {
    [`POST /api/${kind}/{id}/backup/export`]: async (world) => [
      { path: `${await object(world)}/backup/export` },
      { path: `${await object(world)}/backup/export?location=moon` },
    ],
    [`GET /api/${kind}/{id}/backup/download`]: async (world, actor) => {
      const path = `${await object(world)}/backup`;
      const asked = await actor.http.post(`${path}/export`);
      const { rq_id: id = 'refused' } = asked.body as { rq_id?: string };
      await worked(world.app, actor, id);
      return [{ path: `${path}/download?rq_id=${encodeURIComponent(id)}` }, { path: `${path}/download` }];
    },
    [`POST /api/${kind}/backup/`]: () => [
      { path: `/api/${kind}/backup/`, headers: { 'Upload-Start': '' } },
      { path: `/api/${kind}/backup/`, headers: LENGTH },
      { path: `/api/${kind}/backup/`, headers: FORM, body: file },
      { path: `/api/${kind}/backup/?filename=nothing.zip` },
    ],
    [`OPTIONS /api/${kind}/backup/`]: () => ({ path: `/api/${kind}/backup/` }),
    [`HEAD /api/${kind}/backup/{fileId}`]: async (_, actor) => ({ path: await announced(actor) }),
    [`PATCH /api/${kind}/backup/{fileId}`]: async (_, actor) => ({
      path: await announced(actor),
      headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
      body: Buffer.from('half'),
    }),
    [`GET /api/${kind}/{id}/dataset`]: async (world) => ({ path: `${await object(world)}/dataset` }),
    [`GET /api/${kind}/{id}/backup`]: async (world) => ({ path: `${await object(world)}/backup` }),
  };
};

/** Export and import of annotations. */
export const exchange: Record<string, Caller> = {
  ...exporting('projects'),
  ...exporting('tasks'),
  ...exporting('jobs'),
  ...importing('projects'),
  ...importing('tasks'),
  ...importing('jobs'),
  ...backups('projects'),
  ...backups('tasks'),
  'GET /api/projects/{id}/annotations': ({ projectId }) => ({ path: `/api/projects/${projectId}/annotations` }),
  'GET /api/jobs/{id}/dataset': ({ jobId }) => ({ path: `/api/jobs/${jobId}/dataset` }),
};
