import type { ArchiveSample } from './archive-sample.js';

// Formats that are one JSON file look alike at first sight.

/** Whether the beginning of a file is that of Datumaro: categories are an object there, and annotations belong to items. */
export const isDatumaro = (text: string): boolean =>
  /^\s*\{[^]*"(?:dm_format_version|items"\s*:\s*\[|categories"\s*:\s*\{)/.test(text);

/** Whether the beginning of a file has a list of COCO. */
export const isCoco = (text: string): boolean =>
  /^\s*\{[^]*"(?:images|annotations|categories)"\s*:\s*\[/.test(text) && !isDatumaro(text);

/** Marks of files for COCO's other tasks. */
export const SEGMENTS = /"segments_info"\s*:/;
const KEYPOINTS = /"keypoints"\s*:\s*\[\s*[^\s\]]/;

/** Whether files of COCO are about keypoints. */
export const hasKeypoints = async (sample: ArchiveSample): Promise<boolean> =>
  sample.paths.some((path) => /(?:^|\/)person_keypoints_[^/]+\.json$/i.test(path)) ||
  sample.contain(/\.json$/i, KEYPOINTS);
