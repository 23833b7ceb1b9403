import type { FormatInfo } from '../format.js';

export const openImagesInfo: FormatInfo = {
  name: 'Open Images V6 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** Lists of images and labels, and the rows of annotations. */
export const FILES = [
  'annotations/image_ids_and_rotation.csv',
  'annotations/*-images-with-rotation.csv',
  'annotations/*-annotations-bbox.csv',
  'annotations/*-annotations-human-imagelabels.csv',
  'annotations/*-annotations-object-segmentation.csv',
] as const;

/** Columns that tell something about a box, and the attributes for them. */
export const BOX_FLAGS = [
  ['IsOccluded', 'occluded'],
  ['IsTruncated', 'truncated'],
  ['IsGroupOf', 'is_group_of'],
  ['IsDepiction', 'is_depiction'],
  ['IsInside', 'is_inside'],
] as const;
