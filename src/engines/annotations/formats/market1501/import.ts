import { posix } from 'node:path';
import { mediaKind } from '../../../../shared/media-kind.js';
import {
  type DatasetFiles,
  datasetNotFound,
  type FileLocation,
  type ImportFormat,
  type ImportTarget,
  refuse,
  shown,
} from '../format.js';
import { withoutExtension } from '../import-batch.js';
import { firstLine } from '../archive-sample.js';
import { isOtherSubset } from '../import-notes.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import { ItemImport } from '../items/item-import.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { MARKET_LABEL, MARKET_NAME, marketInfo } from './layout.js';

const LIST = /^images_[^/]+\.txt$/;
const IMAGE = /^(?:bounding_box_([^/]+)|(query))\/(.+)$/s;

export const marketImport: ImportFormat = {
  info: marketInfo,
  requires: [],
  async recognize(sample) {
    if (sample.paths.some((path) => /(?:^|\/)bounding_box_[^/]+\//.test(path))) return 3;
    return (await sample.some(/(?:^|\/)images_[^/]+\.txt$/, (text) => IMAGE.test(firstLine(text)))) ? 3 : 0;
  },
  imageAt(path) {
    const [, subset = 'query', , name] = new RegExp(`^(?:[^/]+/){0,3}?${IMAGE.source.slice(1)}`, 's').exec(path) ?? [];
    return name === undefined ? undefined : { subset, name };
  },
  async labels(files) {
    const found = new FoundLabels();
    found.add(MARKET_LABEL);
    for await (const { attributes = [] } of imagesIn(files)) {
      for (const [name, value] of attributes) found.addAttribute(MARKET_LABEL, name, value);
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for await (const { names, attributes, location } of imagesIn(files, target)) {
      if (attributes === undefined) continue;
      const frame = items.frames.namedAny(names, location);
      const label = items.labels.named(MARKET_LABEL, location);
      yield* items.add(frame, [{ type: 'tag', label, attributes, location }]);
    }
    yield* items.finish();
  },
};

interface MarketImage {
  /** Its own, and the one that follows the numbers. */
  readonly names: readonly [string, ...string[]];
  /** Only if the name consists of them. */
  readonly attributes?: readonly (readonly [name: string, value: string])[];
  readonly location: FileLocation;
}

/** The images in the lists and in the folders. */
async function* imagesIn(files: DatasetFiles, target?: ImportTarget): AsyncGenerator<MarketImage> {
  const root = rootOf(files.paths, LIST) ?? rootOf(files.paths, IMAGE);
  if (root === undefined) {
    throw datasetNotFound('Dataset must contain a file "images_*.txt", or a folder "bounding_box_*" or "query".');
  }
  const listed = new Set<string>();
  for (const { path } of matchesIn(files.paths, root, LIST)) {
    for await (const { text, location } of readLines(files.read(path), path)) {
      const [, subset = 'query', , name] = IMAGE.exec(text) ?? [];
      if (name === undefined) refuse(location, `${shown(text)} is not an image in bounding_box_… or query`);
      listed.add(text);
      if (!isOtherSubset(subset, path, target)) yield imageOf(name, subset, location);
    }
  }
  for (const { path, groups } of matchesIn(files.paths, root, IMAGE)) {
    const [subset = 'query', , name = ''] = groups;
    if (mediaKind(path) !== 'image' || isOtherSubset(subset, path, target)) continue;
    files.markRead?.(path);
    if (!listed.has(path.slice(root.length))) yield imageOf(name, subset, path);
  }
}

function imageOf(path: string, subset: string, location: FileLocation): MarketImage {
  const id = withoutExtension(path);
  const [whole, person, camera, track, frame, box, rest = ''] = MARKET_NAME.exec(posix.basename(id)) ?? [];
  if (whole === undefined) return { names: [id], location };
  const attributes = [
    ['person_id', wholeText(person)],
    ['camera_id', String(Number(camera) - 1)],
    ['track_id', wholeText(track)],
    ['frame_id', wholeText(frame)],
    ['bbox_id', wholeText(box)],
    ['query', subset === 'query' ? 'True' : 'False'],
  ] as const;
  const other = rest === '' ? [] : [posix.join(posix.dirname(id), rest)];
  return { names: [id, ...other], attributes, location };
}

/** Without zeros in front. Numbers of any length keep their digits. */
const wholeText = (digits = ''): string => digits.replace(/^(-?)0+(?=\d)/, '$1');
