import type { Mapping } from '../mapping.js';

const asset: Mapping = {
  model: 'engine.asset',
  stage: 'asset',
  map: (record, { people }) => [
    {
      uuid: record.uuid,
      filename: record.text('filename'),
      guide_id: record.integer('guide'),
      owner_id: people.userIdOrNull(record, 'owner'),
      created_date: record.date('created_date'),
    },
  ],
};

export const assetMappings: readonly Mapping[] = [asset];
