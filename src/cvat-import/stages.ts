import { ANNOTATION_STAGES, ATTRIBUTE_STAGES } from './annotation-stages.js';
import { type Stage, stageTable } from './stage.js';

const worker = { owner_id: 'app_user', assignee_id: 'app_user' };
const places = { organization_id: 'organization', source_storage_id: 'storage', target_storage_id: 'storage' };
const cloud = { cloud_storage_id: 'cloud_storage' };
/** A column of the newest delivery, which the webhook shows. */
const newest = (column: string): string =>
  `(select ${column} from ${stageTable('webhook_delivery')} where webhook_id = row.id order by id desc limit 1)`;

/** All stages, in the order in which their rows must be inserted. */
export const STAGES: readonly Stage[] = [
  {
    name: 'profile',
    model: 'engine.profile',
    own: ['id integer', 'user_id integer', 'has_analytics_access boolean'],
    references: { user_id: 'app_user' },
  },
  {
    name: 'email_address',
    model: 'account.emailaddress',
    own: ['id integer', 'user_id integer', 'verified boolean'],
    references: { user_id: 'app_user' },
  },
  {
    name: 'skeleton',
    model: 'engine.skeleton',
    own: ['id integer', 'label_id integer', 'svg text'],
    references: { label_id: 'label' },
    fields: { label_id: 'root' },
  },
  {
    name: 'related_file',
    model: 'engine.relatedfile',
    areParts: true,
    own: ['id text', 'image_id bigint', 'path text'],
    references: { image_id: 'image' },
    fields: { image_id: 'images' },
  },
  {
    name: 'validation_layout',
    model: 'engine.validationlayout',
    own: ['id integer', 'data_id integer', 'mode text', 'layout jsonb'],
    references: { data_id: 'media_data' },
    fields: { data_id: 'task_data' },
  },
  {
    name: 'manifest',
    model: 'engine.manifest',
    own: ['id integer', 'cloud_storage_id integer', 'filename text'],
    references: { cloud_storage_id: 'cloud_storage' },
  },
  {
    name: 'quality_annotation_id',
    model: 'quality_control.annotationid',
    own: ['id bigint', 'conflict_id bigint', 'obj_id bigint', 'job_id integer', 'type text', 'shape_type text'],
    references: { conflict_id: 'quality_conflict' },
  },
  ...ATTRIBUTE_STAGES,
  {
    name: 'app_user',
    model: 'auth.user',
    table: 'app_user',
    computed: {
      has_analytics_access: `(select has_analytics_access from ${stageTable('profile')} where user_id = row.id limit 1)`,
      email_verified: `row.is_staff or row.is_superuser or exists (select 1 from ${stageTable('email_address')}
        where user_id = row.id and verified)`,
    },
  },
  {
    name: 'access_token',
    model: 'access_tokens.accesstoken',
    table: 'access_token',
    computed: { key_hash: `'imported ' || row.prefix` },
    references: { owner_id: 'app_user' },
  },
  {
    name: 'organization',
    model: 'organizations.organization',
    table: 'organization',
    references: { owner_id: 'app_user' },
  },
  {
    name: 'membership',
    model: 'organizations.membership',
    table: 'membership',
    references: { user_id: 'app_user', organization_id: 'organization' },
  },
  {
    name: 'invitation',
    model: 'organizations.invitation',
    table: 'invitation',
    key: 'key',
    references: { owner_id: 'app_user', membership_id: 'membership' },
  },
  {
    name: 'cloud_storage',
    model: 'engine.cloudstorage',
    table: 'cloud_storage',
    computed: {
      manifests: `array(select filename from ${stageTable('manifest')} where cloud_storage_id = row.id order by id)`,
    },
    references: { owner_id: 'app_user', organization_id: 'organization' },
  },
  { name: 'storage', model: 'engine.storage', table: 'storage', references: cloud },
  { name: 'project', model: 'engine.project', table: 'project', references: { ...worker, ...places } },
  {
    name: 'media_data',
    model: 'engine.data',
    table: 'media_data',
    computed: {
      validation_mode: `(select mode from ${stageTable('validation_layout')} where data_id = row.id limit 1)`,
      validation_layout: `(select layout from ${stageTable('validation_layout')} where data_id = row.id limit 1)`,
    },
    references: cloud,
  },
  {
    name: 'image',
    model: 'engine.image',
    table: 'media_frame',
    own: ['id bigint'],
    computed: {
      related_files: `array(select path from ${stageTable('related_file')} where image_id = row.id order by path)`,
    },
    references: { data_id: 'media_data' },
  },
  {
    name: 'video',
    model: 'engine.video',
    table: 'media_frame',
    own: ['id bigint'],
    references: { data_id: 'media_data' },
  },
  {
    name: 'audio',
    model: 'engine.audio',
    table: 'media_frame',
    own: ['id bigint'],
    references: { data_id: 'media_data' },
  },
  {
    name: 'task',
    model: 'engine.task',
    table: 'task',
    references: { ...worker, ...places, project_id: 'project', data_id: 'media_data' },
  },
  {
    name: 'consensus_settings',
    model: 'consensus.consensussettings',
    table: 'consensus_settings',
    owners: ['task_id'],
    references: { task_id: 'task' },
  },
  {
    name: 'quality_settings',
    model: 'quality_control.qualitysettings',
    table: 'quality_settings',
    owners: ['task_id', 'project_id'],
    references: { task_id: 'task', project_id: 'project' },
  },
  { name: 'segment', model: 'engine.segment', table: 'segment', references: { task_id: 'task' } },
  {
    name: 'job',
    model: 'engine.job',
    table: 'job',
    computed: { task_id: `(select task_id from ${stageTable('segment')} where id = row.segment_id)` },
    references: { segment_id: 'segment', assignee_id: 'app_user', parent_job_id: 'job' },
  },
  {
    name: 'label',
    model: 'engine.label',
    table: 'label',
    computed: { svg: `(select svg from ${stageTable('skeleton')} where label_id = row.id limit 1)` },
    references: { project_id: 'project', task_id: 'task', parent_id: 'label' },
  },
  { name: 'attribute_spec', model: 'engine.attributespec', table: 'attribute_spec', references: { label_id: 'label' } },
  ...ANNOTATION_STAGES,
  {
    name: 'issue',
    model: 'engine.issue',
    table: 'issue',
    references: { ...worker, job_id: 'job' },
  },
  {
    name: 'comment',
    model: 'engine.comment',
    table: 'comment',
    references: { issue_id: 'issue', owner_id: 'app_user' },
  },
  {
    name: 'quality_report',
    model: 'quality_control.qualityreport',
    table: 'quality_report',
    references: { job_id: 'job', task_id: 'task', project_id: 'project', assignee_id: 'app_user' },
  },
  {
    name: 'quality_report_part',
    model: 'quality_control.qualityreport',
    table: 'quality_report_part',
    areParts: true,
    own: ['id text'],
    references: { child_id: 'quality_report', parent_id: 'quality_report' },
    fields: { child_id: 'pk', parent_id: 'parents' },
  },
  {
    name: 'quality_conflict',
    model: 'quality_control.annotationconflict',
    table: 'quality_conflict',
    computed: {
      annotation_ids: `coalesce((
        select json_agg(json_build_object('obj_id', obj_id, 'job_id', job_id, 'type', type, 'shape_type', nullif(shape_type, ''))
          order by id)
        from ${stageTable('quality_annotation_id')} where conflict_id = row.id), '[]')::jsonb`,
    },
    references: { report_id: 'quality_report' },
  },
  {
    name: 'guide',
    model: 'engine.annotationguide',
    table: 'guide',
    references: { task_id: 'task', project_id: 'project' },
  },
  {
    name: 'asset',
    model: 'engine.asset',
    table: 'asset',
    key: 'uuid',
    references: { guide_id: 'guide', owner_id: 'app_user' },
  },
  {
    name: 'webhook',
    model: 'webhooks.webhook',
    table: 'webhook',
    computed: {
      last_delivery_id: newest('id'),
      last_status: newest('status_code'),
      last_delivery_date: newest('updated_date'),
    },
    references: { owner_id: 'app_user', project_id: 'project', organization_id: 'organization' },
  },
  {
    name: 'webhook_delivery',
    model: 'webhooks.webhookdelivery',
    table: 'webhook_delivery',
    computed: { message_id: 'gen_random_uuid()' },
    references: { webhook_id: 'webhook' },
  },
];
