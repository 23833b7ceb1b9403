import type { Mapping } from '../mapping.js';

const label: Mapping = {
  model: 'engine.label',
  stage: 'label',
  map: (record) => [
    {
      id: record.id,
      project_id: record.integerOrNull('project'),
      task_id: record.integerOrNull('task'),
      parent_id: record.integerOrNull('parent'),
      name: record.text('name'),
      color: record.text('color', ''),
      type: record.text('type', 'any'),
    },
  ],
};

const skeleton: Mapping = {
  model: 'engine.skeleton',
  stage: 'skeleton',
  map: (record) => [{ id: record.id, label_id: record.integer('root'), svg: record.text('svg') }],
};

const attributeSpec: Mapping = {
  model: 'engine.attributespec',
  stage: 'attribute_spec',
  map: (record) => [
    {
      id: record.id,
      label_id: record.integer('label'),
      name: record.text('name'),
      mutable: record.boolean('mutable'),
      input_type: record.text('input_type'),
      default_value: record.text('default_value', ''),
      values: record.text('values', '').split('\n'),
    },
  ],
};

export const labelMappings: readonly Mapping[] = [label, skeleton, attributeSpec];
