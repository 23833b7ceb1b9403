import { createHash, pbkdf2Sync } from 'node:crypto';
import { type DumpObject, smallDump } from '../../medium/cvat-import/small-dump.js';
import { another } from '../../medium/cvat-import/try-import.js';

const DATE = '2026-05-06T07:08:09.012Z';
const dates = { created_date: DATE, updated_date: DATE };
const SALT = 'lLd0UyS2';

/** What users hold. */
export const TOKENS = {
  'hashed without salt': 'aaaaaaaa.00000000000000000000000000000000',
  'hashed with a salt': 'bbbbbbbb.11111111111111111111111111111111',
  'hashed with PBKDF2': 'cccccccc.22222222222222222222222222222222',
  'whose secret alone is hashed': 'dddddddd.33333333333333333333333333333333',
} as const;
export const READ_ONLY_TOKEN = 'eeeeeeee.44444444444444444444444444444444';
export const BUSY_TOKEN = 'hhhhhhhh.77777777777777777777777777777777';
export const REVOKED_TOKEN = 'ffffffff.55555555555555555555555555555555';
export const EXPIRED_TOKEN = 'gggggggg.66666666666666666666666666666666';

const sha512 = (salt: string, text: string): string =>
  `sha512$${salt}$${createHash('sha512')
    .update(salt + text)
    .digest('hex')}`;
const pbkdf2 = (text: string): string =>
  `pbkdf2_sha256$1000$${SALT}$${pbkdf2Sync(text, SALT, 1000, 32, 'sha256').toString('base64')}`;
const secretOf = (value: string): string => value.slice(value.indexOf('.') + 1);

function token(pk: number, value: string, hash: string, fields: Record<string, unknown> = {}): DumpObject {
  return {
    model: 'access_tokens.accesstoken',
    pk,
    fields: {
      prefix: value.slice(0, value.indexOf('.')),
      hashed_key: hash,
      created: DATE,
      name: `token ${pk}`,
      revoked: false,
      expiry_date: null,
      updated_date: DATE,
      last_used_date: null,
      read_only: false,
      owner: ['anna'],
      ...fields,
    },
  };
}

function tokens(): DumpObject[] {
  return [
    token(1, TOKENS['hashed without salt'], sha512('', TOKENS['hashed without salt'])),
    token(2, TOKENS['hashed with a salt'], sha512(SALT, TOKENS['hashed with a salt'])),
    token(3, TOKENS['hashed with PBKDF2'], pbkdf2(TOKENS['hashed with PBKDF2'])),
    token(4, TOKENS['whose secret alone is hashed'], sha512('', secretOf(TOKENS['whose secret alone is hashed']))),
    token(5, READ_ONLY_TOKEN, sha512('', READ_ONLY_TOKEN), { read_only: true }),
    token(6, REVOKED_TOKEN, sha512('', REVOKED_TOKEN), { revoked: true }),
    token(8, BUSY_TOKEN, pbkdf2(BUSY_TOKEN)),
    token(7, EXPIRED_TOKEN, sha512('', EXPIRED_TOKEN), { expiry_date: '2024-01-01T00:00:00.000123Z' }),
  ];
}

/** An audio task with a job, a label for intervals, and two intervals. */
function audio(base: readonly DumpObject[]): DumpObject[] {
  const add = (model: string, pk: number, fields: Record<string, unknown>): DumpObject =>
    another(base, model, pk, fields);
  const interval = (pk: number, fields: Record<string, unknown>): DumpObject => ({
    model: 'engine.labeledinterval',
    pk,
    fields: { job: 61, label: 81, group: 0, source: 'manual', score: 1.0, ...fields },
  });
  return [
    add('engine.data', 41, {
      chunk_size: 11_975,
      size: 11_975,
      image_quality: 0,
      stop_frame: 11_974,
      compressed_chunk_type: 'audio_mp3',
      original_chunk_type: 'audio_mp3',
      deleted_frames: '',
      content_size: 132_115,
      local_storage_backing_cs: null,
    }),
    {
      model: 'engine.audio',
      pk: 1,
      fields: { data: 41, path: 'tone.mp3', sampling_rate: 44_100, has_cover_image: false },
    },
    {
      model: 'engine.audiochunkinfo',
      pk: 'data_41_0',
      fields: { ...dates, audio: 1, data: 41, left_padding: 0, right_padding: 0, content_offset: 0 },
    },
    add('engine.task', 91, {
      name: 'talk',
      project: null,
      data: 41,
      mode: 'interpolation',
      dimension: '1d',
      media_type: 'audio',
      segment_size: 11_975,
    }),
    add('engine.segment', 31, { task: 91, stop_frame: 11_974 }),
    add('engine.job', 61, { segment: 31 }),
    add('engine.label', 81, { project: null, task: 91, name: 'speech', type: 'interval' }),
    add('engine.attributespec', 21, { label: 81, name: 'speaker', input_type: 'text', default_value: '', values: '' }),
    interval(5, { start: 100, stop: 2500, score: 0.5, source: 'file' }),
    interval(6, { start: 9000, stop: null }),
    {
      model: 'engine.labeledintervalattributeval',
      pk: 9,
      fields: { job: 61, interval: 5, spec: 21, value: 'Anna' },
    },
  ];
}

function webhooks(): DumpObject[] {
  const delivery = (pk: number, fields: Record<string, unknown>): DumpObject => ({
    model: 'webhooks.webhookdelivery',
    pk,
    fields: { ...dates, webhook: 1, event: 'update:task', redelivery: false, request: {}, response: '', ...fields },
  });
  return [
    {
      model: 'webhooks.webhook',
      pk: 1,
      fields: {
        ...dates,
        target_url: 'http://receiver/',
        description: '',
        type: 'project',
        content_type: 'application/json',
        secret: '',
        is_active: true,
        enable_ssl: true,
        owner: ['anna'],
        project: 5,
        organization: null,
        events: 'update:task',
      },
    },
    delivery(1, { status_code: 502, attempt: 1, request_duration: 31 }),
    delivery(2, { status_code: 200, attempt: 2, request_duration: 17 }),
    delivery(3, { status_code: 200, attempt: null, request_duration: null, changed_fields: 'name' }),
  ];
}

function quality(): DumpObject[] {
  const report = (pk: number, fields: Record<string, unknown>): DumpObject => ({
    model: 'quality_control.qualityreport',
    pk,
    fields: {
      job: null,
      task: null,
      project: null,
      parents: [],
      created_date: DATE,
      target_last_updated: DATE,
      gt_last_updated: null,
      assignee: null,
      assignee_last_updated: null,
      data: JSON.stringify({ parameters: {}, comparison_summary: {}, frame_results: {} }),
      ...fields,
    },
  });
  return [
    report(1, { task: 9, parents: [2, 3] }),
    report(2, { project: 5 }),
    report(3, { project: 5 }),
    { model: 'consensus.consensussettings', pk: 1, fields: { task: 9, iou_threshold: 0.6 } },
  ];
}

/**
 * What dumps of CVAT 2.73 have and older ones lack, with accounts at the end, and a model and a field of a version that does
 * not exist yet. The files of the media are `4/raw/a.png`, `4/raw/b.png`, `4/raw/related_images/a_png/c.png` and
 * `41/raw/tone.mp3`.
 */
export function newerDump(): DumpObject[] {
  const base = smallDump();
  const [task] = base.filter(({ model }) => model === 'engine.task');
  const withoutData = {
    data: null,
    mode: null,
    overlap: null,
    segment_size: 0,
    dimension: null,
    media_type: null,
    consensus_replicas: 0,
  };
  const others = base.map((object) =>
    object === task
      ? { ...object, fields: { ...object.fields, media_type: 'image', consensus_replicas: 2, mood: 'good' } }
      : object,
  );
  return [
    ...tokens(),
    ...others.filter(({ model }) => !model.startsWith('auth.')),
    another(base, 'engine.task', 92, { ...withoutData, name: 'null' }),
    another(base, 'engine.task', 93, { ...withoutData, name: 'empty', mode: '', dimension: '', media_type: '' }),
    another(base, 'engine.job', 62, { type: 'consensus_replica', parent_job: 6 }),
    another(base, 'engine.labeledshape', 22, { score: 0.25, source: 'consensus' }),
    another(base, 'engine.labeledshape', 3_000_000_000, { source: 'Ground truth' }),
    {
      model: 'engine.issue',
      pk: 1,
      fields: {
        ...dates,
        frame: 0,
        position: '1.0, 2.0',
        job: 6,
        owner: ['anna'],
        assignee: ['anna'],
        assignee_updated_date: DATE,
        resolved: false,
      },
    },
    ...audio(base),
    ...webhooks(),
    ...quality(),
    { model: 'engine.hologram', pk: 1, fields: { data: 4 } },
    ...base.filter(({ model }) => model === 'auth.user'),
    ...base.filter(({ model }) => model === 'auth.group'),
  ];
}
