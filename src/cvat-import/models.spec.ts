import { describe, expect, it } from '@jest/globals';
import { CvatImportError } from './cvat-import-error.js';
import { DumpRecord } from './dump-record.js';
import type { MappingContext, Row } from './mapping.js';
import { mappingOf, reasonOf } from './models.js';
import { People } from './people.js';
import { STAGES } from './stages.js';

const DATE = '2024-05-06T07:08:09.012Z';
const dates = { created_date: DATE, updated_date: DATE };
const people = new People();
people.addUser('anna', 7, 'anna@example.org');
people.addGroup(2, 'worker');
const context: MappingContext = {
  people,
  sealing: {
    webhookSecret: (secret) => (secret === '' ? null : `sealed ${secret}`),
    cloudCredentials: (credentials) => `sealed ${JSON.stringify(credentials)}`,
  },
};

function map(model: string, fields: Row, pk: number | string = 1): readonly Row[] | { readonly reason: string } {
  const mapped = mappingOf(model)?.map(DumpRecord.of({ model, pk, fields }, 0), context);
  if (mapped === undefined) throw new Error(`no mapping for ${model}`);
  return mapped;
}

const shape = {
  job: 1,
  label: 2,
  frame: 3,
  group: null,
  source: 'auto',
  type: 'polyline',
  occluded: true,
  outside: false,
  z_order: 4,
  points: '1.0, 2.5,3e-05, -4',
  rotation: 90.0,
  parent: 5,
};

describe('mapping of models', () => {
  it.each<[string, Row, Row]>([
    [
      'auth.user',
      {
        username: 'bob',
        first_name: 'Bob',
        last_name: 'B',
        email: 'bob@example.org',
        password: 'md5$a$b',
        groups: [['user'], 2],
        is_staff: false,
        is_superuser: false,
        is_active: true,
        last_login: null,
        date_joined: DATE,
      },
      { id: 1, username: 'bob', password: 'md5$a$b', groups: ['user', 'worker'], last_login: null, date_joined: DATE },
    ],
    ['engine.profile', { user: ['anna'], has_analytics_access: true }, { user_id: 7, has_analytics_access: true }],
    [
      'organizations.membership',
      { user: 7, organization: 3, is_active: true, joined_date: null, role: 'owner' },
      { user_id: 7, organization_id: 3, is_active: true, joined_date: null, role: 'owner' },
    ],
    [
      'engine.data',
      {
        chunk_size: null,
        size: 4,
        image_quality: 70,
        start_frame: 2,
        stop_frame: 8,
        frame_filter: 'step=2',
        compressed_chunk_type: 'imageset',
        original_chunk_type: 'video',
        storage_method: 'file_system',
        storage: 'share',
        cloud_storage: 3,
        sorting_method: 'random',
        deleted_frames: '1,3',
      },
      {
        start_frame: 2,
        frame_filter: 'step=2',
        storage_method: 'cache',
        storage: 'share',
        cloud_storage_id: 3,
        deleted_frames: [1, 3],
      },
    ],
    [
      'engine.image',
      { data: 2, path: 'a/b.png', frame: 4, width: 5, height: 6, is_placeholder: true, real_frame: 9 },
      { data_id: 2, path: 'a/b.png', frame: 4, real_frame: 9 },
    ],
    [
      'engine.image',
      { data: 2, path: 'b.png', frame: 0, width: 5, height: 6, is_placeholder: false, real_frame: 0 },
      { real_frame: null },
    ],
    [
      'consensus.consensussettings',
      { task: 2, iou_threshold: 0.6, quorum: 0.7 },
      { task_id: 2, iou_threshold: 0.6, quorum: 0.7 },
    ],
    ['consensus.consensussettings', { task: 2 }, { iou_threshold: 0.4, quorum: 0.5 }],
    [
      'engine.validationlayout',
      { task_data: 2, mode: 'gt', frames_per_job_count: null, frames: '4,5,7', disabled_frames: '[]' },
      { data_id: 2, mode: 'gt', layout: { frames_per_job_count: null, frames: [4, 5, 7], disabled_frames: [] } },
    ],
    [
      'engine.attributespec',
      { label: 2, name: 'kind', mutable: true, input_type: 'text', default_value: '', values: '' },
      { mutable: true, default_value: '', values: [''] },
    ],
    [
      'engine.labeledshape',
      shape,
      { job_id: 1, label_id: 2, group_id: null, source: 'auto', points: '[1,2.5,0.00003,-4]', parent_id: 5 },
    ],
    [
      'engine.labeledshape',
      { ...shape, type: 'skeleton', points: '[]', parent: null },
      { points: '[]', parent_id: null },
    ],
    ['engine.labeledshape', { ...shape, score: 0.25, source: 'consensus' }, { score: 0.25, source: 'consensus' }],
    ['engine.labeledshape', { ...shape, source: null }, { score: 1, source: 'manual' }],
    [
      'engine.labeledinterval',
      { job: 1, label: 2, group: 3, source: 'file', score: 0.5, start: 10, stop: null },
      { job_id: 1, label_id: 2, group_id: 3, source: 'file', score: 0.5, start: 10, stop: null },
    ],
    [
      'engine.labeledintervalattributeval',
      { job: 1, interval: 4, spec: 5, value: 'Anna' },
      { owner_id: 4, spec_id: 5, value: 'Anna' },
    ],
    [
      'engine.audio',
      { data: 2, path: 'tone.mp3', sampling_rate: 44_100, has_cover_image: true },
      { data_id: 2, frame: 0, path: 'tone.mp3' },
    ],
    ['consensus.consensussettings', { task: 2, iou_threshold: 0.6 }, { iou_threshold: 0.6, quorum: 0.5 }],
    [
      'engine.issue',
      { ...dates, frame: 0, position: '1.5, 2', job: 3, owner: null, assignee: ['anna'], resolved: true },
      { position: [1.5, 2], owner_id: null, assignee_id: 7, resolved: true },
    ],
    [
      'webhooks.webhook',
      {
        ...dates,
        target_url: 'http://h/',
        type: 'project',
        content_type: 'application/json',
        secret: 'x',
        is_active: true,
        enable_ssl: true,
        owner: ['anna'],
        project: 4,
        organization: null,
        events: 'update:task,create:task,update:task',
      },
      { events: ['create:task', 'update:task'], api_version: '2.1', secret: 'sealed x', project_id: 4 },
    ],
    [
      'webhooks.webhookdelivery',
      {
        ...dates,
        webhook: 1,
        event: 'ping',
        status_code: 502,
        redelivery: false,
        changed_fields: '',
        request: { event: 'ping' },
        response: '',
      },
      { status: 'failed', status_code: 502, payload: '{"event":"ping"}', attempts: 1 },
    ],
    [
      'webhooks.webhookdelivery',
      { ...dates, webhook: 1, event: 'ping', status_code: 200, attempt: 3, request_duration: 12 },
      { status: 'delivered', attempts: 3, request_duration: 12, payload: '{}', changed_fields: '' },
    ],
  ])('%s maps to its row', (model, fields, row) => {
    expect(map(model, fields)).toEqual([expect.objectContaining(row)]);
  });

  it('a context image gives one row per image, with its path within the media', () => {
    const path = '/home/django/data/data/6/raw/pc/related_images/a_pcd/c.png';
    expect(map('engine.relatedfile', { data: 6, path, images: [3, 4] })).toEqual([
      { id: '1 of image 3', image_id: 3, path: 'pc/related_images/a_pcd/c.png' },
      { id: '1 of image 4', image_id: 4, path: 'pc/related_images/a_pcd/c.png' },
    ]);
  });

  const bucket = {
    ...dates,
    provider_type: 'AWS_S3_BUCKET',
    resource: 'frames',
    display_name: 'Frames',
    owner: ['anna'],
    credentials: 'k s/+=',
    credentials_type: 'KEY_SECRET_KEY_PAIR',
    specific_attributes: 'region=eu-west-1',
    description: '',
    organization: 3,
  };
  const withoutToken = 'sealed {"key":"k","secret":"s/+="}';
  it.each<[string, Row, string | null, RegExp | null]>([
    ['a pair', {}, withoutToken, null],
    ['a pair and a token', { credentials: 'k s t' }, 'sealed {"key":"k","secret":"s","token":"t"}', null],
    ['nothing where a pair should be', { credentials: '' }, null, /not an access key and secret$/],
    ['no keys', { credentials: '', credentials_type: 'ANONYMOUS_ACCESS' }, null, null],
    [
      'an account and a token',
      { provider_type: 'AZURE_CONTAINER', credentials: 'a t', credentials_type: 'ACCOUNT_NAME_TOKEN_PAIR' },
      'sealed {"account":"a","sasToken":"t"}',
      null,
    ],
    [
      'an account without a token',
      { provider_type: 'AZURE_CONTAINER', credentials: 'a', credentials_type: 'ANONYMOUS_ACCESS' },
      'sealed {"account":"a"}',
      null,
    ],
    [
      'a connection string',
      { provider_type: 'AZURE_CONTAINER', credentials: 'AccountName=a;B=c', credentials_type: 'CONNECTION_STRING' },
      'sealed {"connectionString":"AccountName=a;B=c"}',
      null,
    ],
    [
      'a key file',
      { provider_type: 'GOOGLE_CLOUD_STORAGE', credentials: '/home/k.json', credentials_type: 'KEY_FILE_PATH' },
      null,
      /upload it again$/,
    ],
    [
      'another provider',
      { provider_type: 'GOOGLE_DRIVE', credentials: '', credentials_type: 'ANONYMOUS_ACCESS' },
      null,
      /its provider is not supported$/,
    ],
  ])('a cloud storage with %s is imported with sealed keys', (_, fields, credentials, remark) => {
    const record = DumpRecord.of({ model: 'engine.cloudstorage', pk: 2, fields: { ...bucket, ...fields } }, 0);
    const { credentials: _stored, ...rest } = { ...bucket, ...fields };
    const row = {
      ...rest,
      owner: undefined,
      organization: undefined,
      owner_id: 7,
      organization_id: 3,
      credentials,
      id: 2,
    };
    expect(mappingOf('engine.cloudstorage')?.map(record, context)).toEqual([row]);
    expect(record.allRemarks()).toEqual(remark === null ? [] : [expect.stringMatching(remark)]);
    expect(record.unknownFields()).toEqual([]);
  });

  it.each([
    ['without data', { data: null, mode: '', dimension: '', media_type: '', segment_size: 0, overlap: null }],
    ['without data, as null', { data: null, mode: null, dimension: null, media_type: null, overlap: null }],
  ])('a task %s has the dimension of new tasks', (_, fields) => {
    const task = {
      ...dates,
      name: 't',
      project: null,
      owner: null,
      assignee: null,
      status: 'annotation',
      organization: null,
      ...fields,
    };
    const record = DumpRecord.of({ model: 'engine.task', pk: 1, fields: task }, 0);
    expect(mappingOf('engine.task')?.map(record, context)).toMatchObject([
      { data_id: null, mode: '', dimension: '2d' },
    ]);
    expect(record.unknownFields()).toEqual([]);
  });

  it('an additional email address of an account is left out with a reason', () => {
    const address = { user: ['anna'], verified: true, primary: false };
    expect(map('account.emailaddress', { ...address, email: 'Anna@Example.org' })).toEqual([
      expect.objectContaining({ verified: true }),
    ]);
    expect(map('account.emailaddress', { ...address, email: 'other@example.org' })).toHaveProperty('reason');
  });

  it.each<[string, Row]>([
    ['points that are no numbers', { ...shape, points: '1,two' }],
    ['points that are not finite', { ...shape, points: '1,1e999' }],
    ['a number that no column holds', { ...shape, frame: 2 ** 31 }],
    ['a missing field', { ...shape, job: undefined }],
    ['a score above 1', { ...shape, score: 1.5 }],
    ['a character that the database cannot store', { ...shape, type: 'a\0' }],
  ])('a shape with %s names the record', (_, fields) => {
    expect(() => map('engine.labeledshape', fields, 33)).toThrow(CvatImportError);
    expect(() => map('engine.labeledshape', fields, 33)).toThrow(/engine\.labeledshape 33/);
  });

  it('every model has an existing stage', () => {
    const stages = new Set(STAGES.map(({ name }) => name));
    const models = STAGES.map(({ model }) => model);
    for (const model of models) expect(stages).toContain(mappingOf(model)?.stage);
  });
});

it('an unknown model is reported as unknown', () => {
  expect(reasonOf('lambda.thing')).toBe('unknown to this importer');
});
