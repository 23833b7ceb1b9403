import { type Stage, stageTable } from './stage.js';

/** The JSON text of attribute values, as stored with annotations. */
const attributes = (stage: string): string => `coalesce((
  select '[' || string_agg('{"spec_id":' || value.spec_id || ',"value":' || to_json(value.value) || '}', ',' order by value.id) || ']'
  from ${stageTable(stage)} as value where value.owner_id = row.id), '[]')`;

/** @param field the field that refers to the object */
const attributeStage = (owner: string, model: string, field: string): Stage => ({
  name: `${owner}_attribute`,
  model,
  own: ['id bigint', 'owner_id bigint', 'spec_id integer', 'value text'],
  references: { owner_id: owner, spec_id: 'attribute_spec' },
  fields: { owner_id: field },
});

/** Values of attributes, which complete the rows of annotations. */
export const ATTRIBUTE_STAGES: readonly Stage[] = [
  attributeStage('tag', 'engine.labeledimageattributeval', 'image'),
  attributeStage('shape', 'engine.labeledshapeattributeval', 'shape'),
  attributeStage('track', 'engine.labeledtrackattributeval', 'track'),
  attributeStage('tracked_shape', 'engine.trackedshapeattributeval', 'shape'),
  attributeStage('interval', 'engine.labeledintervalattributeval', 'interval'),
];

export const ANNOTATION_STAGES: readonly Stage[] = [
  {
    name: 'tag',
    model: 'engine.labeledimage',
    table: 'annotation_tag',
    computed: { attributes: attributes('tag_attribute') },
    references: { job_id: 'job', label_id: 'label' },
  },
  {
    name: 'shape',
    model: 'engine.labeledshape',
    table: 'annotation_shape',
    computed: { attributes: attributes('shape_attribute') },
    references: { job_id: 'job', label_id: 'label', parent_id: 'shape' },
  },
  {
    name: 'track',
    model: 'engine.labeledtrack',
    table: 'annotation_track',
    computed: { attributes: attributes('track_attribute') },
    references: { job_id: 'job', label_id: 'label', parent_id: 'track' },
  },
  {
    name: 'tracked_shape',
    model: 'engine.trackedshape',
    table: 'annotation_tracked_shape',
    computed: {
      job_id: `(select job_id from ${stageTable('track')} where id = row.track_id)`,
      attributes: attributes('tracked_shape_attribute'),
    },
    references: { track_id: 'track' },
  },
  {
    name: 'interval',
    model: 'engine.labeledinterval',
    table: 'annotation_interval',
    computed: { attributes: attributes('interval_attribute') },
    references: { job_id: 'job', label_id: 'label' },
  },
];
