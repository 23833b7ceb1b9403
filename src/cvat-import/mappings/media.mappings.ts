import { readIntegers } from '../array-text.js';
import { isInteger } from '../dump-record.js';
import type { Mapping } from '../mapping.js';
import { pathInData } from '../media-path.js';

const data: Mapping = {
  model: 'engine.data',
  stage: 'media_data',
  map(record) {
    record.ignore('content_size', 'storage_method');
    return [
      {
        id: record.id,
        chunk_size: record.integerOrNull('chunk_size'),
        size: record.integer('size'),
        image_quality: record.integer('image_quality'),
        start_frame: record.integer('start_frame'),
        stop_frame: record.integer('stop_frame'),
        frame_filter: record.text('frame_filter'),
        compressed_chunk_type: record.text('compressed_chunk_type'),
        original_chunk_type: record.text('original_chunk_type'),
        // chunks are always cut from the media here, also those that CVAT had cut beforehand
        storage_method: 'cache',
        storage: record.text('storage'),
        cloud_storage_id: record.integerOrNull('cloud_storage'),
        sorting_method: record.text('sorting_method'),
        deleted_frames: readIntegers(record, 'deleted_frames', ''),
      },
    ];
  },
};

const image: Mapping = {
  model: 'engine.image',
  stage: 'image',
  map(record) {
    const isPlaceholder = record.boolean('is_placeholder', false);
    const realFrame = record.integer('real_frame', 0);
    return [
      {
        id: record.id,
        data_id: record.integer('data'),
        frame: record.integer('frame'),
        path: pathInData(record, 'path'),
        width: record.integer('width'),
        height: record.integer('height'),
        real_frame: isPlaceholder ? realFrame : null,
      },
    ];
  },
};

const video: Mapping = {
  model: 'engine.video',
  stage: 'video',
  map: (record) => [
    {
      id: record.id,
      data_id: record.integer('data'),
      frame: 0,
      path: pathInData(record, 'path'),
      width: record.integer('width'),
      height: record.integer('height'),
    },
  ],
};

const relatedFile: Mapping = {
  model: 'engine.relatedfile',
  stage: 'related_file',
  map(record) {
    const path = pathInData(record, 'path');
    record.ignore('data');
    return record
      .list('images', 'images', isInteger)
      .map((imageId) => ({ id: `${record.pk} of image ${imageId}`, image_id: imageId, path }));
  },
};

const validationLayout: Mapping = {
  model: 'engine.validationlayout',
  stage: 'validation_layout',
  map: (record) => [
    {
      id: record.id,
      data_id: record.integer('task_data'),
      mode: record.text('mode'),
      layout: {
        frames_per_job_count: record.integerOrNull('frames_per_job_count'),
        frames: readIntegers(record, 'frames'),
        disabled_frames: readIntegers(record, 'disabled_frames', ''),
      },
    },
  ],
};

export const mediaMappings: readonly Mapping[] = [data, image, video, relatedFile, validationLayout];
