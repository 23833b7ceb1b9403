/** A record as `dumpdata` writes it. */
export interface DumpObject {
  model: string;
  pk: number | string;
  fields: Record<string, unknown>;
}

/** Id of the guide's asset. */
export const ASSET = '0a000000-0000-4000-8000-00000000000a';

const DATE = '2024-05-06T07:08:09.012Z';
const dates = { created_date: DATE, updated_date: DATE };

/** A user, a task of two images in a project, a job, a label and annotations, in an order with forward references. */
export function smallDump(): DumpObject[] {
  return [
    { model: 'auth.group', pk: 2, fields: { name: 'user', permissions: [] } },
    {
      model: 'auth.user',
      pk: 7,
      fields: {
        password: 'md5$salt$d7b8e4a1',
        last_login: null,
        is_superuser: false,
        username: 'anna',
        first_name: 'Anna',
        last_name: '',
        email: 'anna@example.org',
        is_staff: false,
        is_active: true,
        date_joined: DATE,
        groups: [['user']],
        user_permissions: [],
      },
    },
    { model: 'engine.relatedfile', pk: 1, fields: { data: 4, path: 'related_images/a_png/c.png', images: [11] } },
    { model: 'engine.image', pk: 11, fields: { data: 4, path: 'a.png', frame: 0, width: 20, height: 10 } },
    { model: 'engine.image', pk: 12, fields: { data: 4, path: 'b.png', frame: 1, width: 20, height: 10 } },
    {
      model: 'engine.data',
      pk: 4,
      fields: {
        chunk_size: 72,
        size: 2,
        image_quality: 70,
        start_frame: 0,
        stop_frame: 1,
        frame_filter: '',
        compressed_chunk_type: 'imageset',
        original_chunk_type: 'imageset',
        storage: 'local',
        cloud_storage: null,
        sorting_method: 'natural',
        deleted_frames: '[1]',
      },
    },
    {
      model: 'engine.task',
      pk: 9,
      fields: {
        ...dates,
        project: 5,
        name: 'birds',
        mode: 'annotation',
        owner: ['anna'],
        assignee: null,
        assignee_updated_date: null,
        bug_tracker: '',
        overlap: 0,
        segment_size: 2,
        status: 'annotation',
        data: 4,
        dimension: '2d',
        subset: '',
        organization: null,
        source_storage: null,
        target_storage: null,
        consensus_replicas: 0,
      },
    },
    {
      model: 'engine.project',
      pk: 5,
      fields: { ...dates, name: 'zoo', owner: ['anna'], assignee: null, bug_tracker: '', status: 'annotation' },
    },
    { model: 'engine.annotationguide', pk: 13, fields: { ...dates, task: null, project: 5, markdown: '# Birds' } },
    {
      model: 'engine.asset',
      pk: ASSET,
      fields: { filename: 'b ird.png', created_date: DATE, owner: ['anna'], guide: 13 },
    },
    {
      model: 'engine.segment',
      pk: 3,
      fields: { task: 9, start_frame: 0, stop_frame: 1, chunks_updated_date: DATE, type: 'range', frames: '[]' },
    },
    {
      model: 'engine.job',
      pk: 6,
      fields: { ...dates, segment: 3, assignee: ['anna'], status: 'annotation', stage: 'annotation', state: 'new' },
    },
    { model: 'engine.label', pk: 8, fields: { project: 5, task: null, name: 'bird', color: '#aabbcc', parent: null } },
    {
      model: 'engine.attributespec',
      pk: 2,
      fields: { label: 8, name: 'kind', mutable: false, input_type: 'select', default_value: 'a', values: 'a\nb' },
    },
    { model: 'engine.labeledshapeattributeval', pk: 1, fields: { spec: 2, job: 6, value: 'say "b"', shape: 21 } },
    {
      model: 'engine.labeledshape',
      pk: 21,
      fields: {
        job: 6,
        label: 8,
        frame: 0,
        group: 0,
        source: 'manual',
        type: 'rectangle',
        occluded: false,
        outside: false,
        z_order: 0,
        points: '1.5, 2.0, 3.25, 4.0',
        rotation: 0.0,
        parent: null,
      },
    },
  ];
}

/** A cloud storage with two manifests, listed after the rows that refer to it, and one of an unsupported provider. */
export function cloudDump(): DumpObject[] {
  const cloud = (pk: number, provider: string, credentialsType: string, credentials: string): DumpObject => ({
    model: 'engine.cloudstorage',
    pk,
    fields: {
      ...dates,
      provider_type: provider,
      resource: 'frames',
      display_name: 'Frames',
      owner: ['anna'],
      credentials,
      credentials_type: credentialsType,
      specific_attributes: '',
      description: '',
      organization: null,
    },
  });
  return [
    { model: 'engine.manifest', pk: 1, fields: { filename: 'm.jsonl', cloud_storage: 3 } },
    { model: 'engine.manifest', pk: 2, fields: { filename: 'n/m.jsonl', cloud_storage: 3 } },
    { model: 'engine.storage', pk: 6, fields: { location: 'cloud_storage', cloud_storage: 3 } },
    cloud(3, 'AWS_S3_BUCKET', 'KEY_SECRET_KEY_PAIR', 'k s'),
    cloud(4, 'AZURE_CONTAINER', 'ACCOUNT_NAME_TOKEN_PAIR', 'a t'),
    cloud(5, 'GOOGLE_CLOUD_STORAGE', 'KEY_FILE_PATH', '/keys/key.json'),
  ];
}
