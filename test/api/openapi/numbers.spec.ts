import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { sql } from '../../../src/engines/sql/sql.js';
import { openapiText } from '../../../src/commands/openapi.js';
import { type Call, send } from './call.js';
import { CALLS } from './calls.js';
import { type FieldPath, NumericInputs, withNumbers } from './numeric-inputs.js';
import { World } from './world.js';

/** The largest number of the database's integers, and one that every float can be. */
const LARGEST = ['2147483647', '1e308'];
const OTHERS = ['2147483648', '-2147483649', '9007199254740993', '1e400', '-1e308', '5e-324', '-0', '0.5', '"NaN"'];
const IN_URLS = ['2147483648', '1e308', '-1'];

/** Responses that do not end. */
const STREAMS = /\/(stream|watch|presence)$/;

/** Fields that name something that exists. */
const REFERENCE = /^(\w+_)?(ids?|task|(?<!per_)job|issue|assignee|parent_requirement|frames?|frame[01])$/;
const POSITION = /^(points|position|roi|obj_bbox|(pos|neg)_points)$/;

/** References that are free or ignored, as clients expect. */
const UNCHECKED = [
  /^POST \/api\/events /, // what a client reports
  /^PATCH \/api\/(labels|tasks)\/\{id\} (id$|labels\.)/, // ignored, as are the labels of a task in a project
  /^POST \/api\/webhooks project$/, // ignored if there is a project_id
  /^\w+ \/api\/tasks\/\{id\}\/annotations\/ .*frame$/, // a task drops what is outside of it
  /tracks\.0\.(elements\.0\.)?shapes\.0\.id$/, // keyframes may have any free id
];

const inputs = new NumericInputs(JSON.parse(await openapiText('json')) as OpenAPIObject);
const operations = Object.keys(CALLS).filter((name) => !STREAMS.test(name));
const queryOf = (name: string): string[] => inputs.queryOf(name).filter((one) => one !== 'org_id');
const nameOf = (path: FieldPath): string => path.filter((key) => key !== 0).at(-1) ?? '';

/** Operations of a resource with the same body are tried with one number at a time only once. */
const bodyOf = (name: string): string => `${name.split('/')[2]} ${inputs.bodyNameOf(name)}`;
const firstOfBody = new Map(operations.toReversed().map((name) => [bodyOf(name), name]));

describe('extreme numbers', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create();
  });
  afterAll(async () => {
    await world.app.db.query(sql`delete from outbox_quarantine where listener = 'of a test'`); // added by a call
    await world.app.drain(); // fails if what was accepted cannot be published
    await world.close();
  });

  const callsOf = async (operation: string): Promise<Call[]> =>
    [await CALLS[operation]?.(world, world.admin)].flat<(Call | readonly Call[] | undefined)[]>().flatMap((call) => {
      if (call === undefined) return [];
      // A request that starts a resumable upload reads nothing else.
      const { 'Upload-Start': _, ...headers } = call.headers ?? {};
      return [{ ...call, headers }];
    });

  /** The status of the response, and its text if it is not a success. */
  async function statusOf(operation: string, call: Call): Promise<[number, string]> {
    const { status, body } = await send(operation, call, world.admin, '2.2');
    return [status, status < 400 ? '' : String(body).slice(0, 200)];
  }

  const withIds = operations.filter((name) => name.includes('{'));

  it.each(withIds)('in the path of %s are no internal error', async (operation) => {
    const template = (operation.split(' ')[1] ?? '').split('/');
    const places = template.flatMap((part, index) => (part.startsWith('{') ? [index] : []));
    // A single id needs no object; several are of objects within others.
    const [call] = places.length > 1 ? await callsOf(operation) : [];
    const { pathname } = new URL(call?.path ?? template.join('/'), 'http://server');
    const failures: string[] = [];
    for (const place of places)
      for (const number of IN_URLS) {
        const path = pathname.split('/').with(place, number).join('/');
        const [status, text] = await statusOf(operation, { ...call, path });
        if (status >= 500) failures.push(`${path}: ${status} ${text}`);
      }
    expect(failures).toEqual([]);
  });

  const queried = operations.filter((name) => queryOf(name).length > 0);

  it.each(queried)('in the query of %s are no internal error', async (operation) => {
    const [call = { path: '' }] = await callsOf(operation);
    const { pathname, search } = new URL(call.path, 'http://server');
    const failures: string[] = [];
    // A page that does not exist hides what becomes of the others.
    for (const names of [['page'], queryOf(operation).filter((name) => name !== 'page')])
      for (const number of names.length === 0 ? [] : IN_URLS) {
        const query = new URLSearchParams(search);
        for (const name of names) query.set(name, number);
        const [status, text] = await statusOf(operation, { ...call, path: `${pathname}?${query}` });
        if (status >= 500) failures.push(`${query}: ${status} ${text}`);
      }
    expect(failures).toEqual([]);
  });

  const inBodies = operations.filter((name) => inputs.bodyOf(name).length > 0);

  it.each(inBodies)('in the body of %s are no internal error, and refer to nothing', async (operation) => {
    const calls = (await callsOf(operation)).filter(({ body }) => !Buffer.isBuffer(body));
    const fields = inputs.bodyOf(operation);
    const failures: string[] = [];
    const attempt = async (changed: readonly FieldPath[], number: string): Promise<number> => {
      const [[key = ''] = []] = changed;
      const call = calls.find(({ body = {} }) => key in body) ?? calls[0] ?? { path: '' };
      const body = withNumbers(call.body ?? {}, changed, number) as unknown as object;
      const headers = { ...call.headers, 'Content-Type': 'application/json' };
      const [status, text] = await statusOf(operation, { path: call.path, headers, body });
      if (status >= 500) failures.push(`${changed.join(', ')} ${number}: ${status} ${text}`);
      return status;
    };
    for (const number of [...LARGEST, ...OTHERS]) await attempt(fields, number);
    const single = firstOfBody.get(bodyOf(operation)) === operation ? fields : [];
    for (const field of single)
      for (const number of LARGEST) {
        const status = await attempt([field], number);
        if (status < 400 && isRefused(operation, field, number))
          failures.push(`${field.join('.')} ${number}: ${status}`);
      }
    expect(failures).toEqual([]);
  });
});

/** Whether the number cannot be valid in the field. */
function isRefused(operation: string, field: FieldPath, number: string): boolean {
  if (UNCHECKED.some((one) => one.test(`${operation} ${field.join('.')}`))) return false;
  if (POSITION.test(nameOf(field))) return number === '1e308';
  return REFERENCE.test(nameOf(field));
}
