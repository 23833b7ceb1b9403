import { describe, expect, it } from '@jest/globals';
import { exportOptions, imported, MemoryFiles, sourceOf } from '../../../../test/support/datasets.js';
import {
  comparable,
  hasRecordedDatasets,
  recordedArchive,
  type RecordedDataset,
  recordedDataset,
  recordedForm,
  recordedImport,
  slyText,
} from '../../../../test/support/recorded-datasets.js';
import { ArchiveAccount } from './archive-account.js';
import type { AnnotationSource, ExportFormat } from './format.js';
import { ImportNotes } from './import-notes.js';
import { likelyFormats } from './likely-formats.js';
import { exportFormats, importFormats } from './registry.js';

if (!hasRecordedDatasets) console.info('skipped: the recorded datasets are not here');

/** Formats that are compared by their own tests: their archives have other names, dates or ids. */
const ELSEWHERE = /^(?:CVAT|YOLO)/;
const STATES = ['images2d', 'images2d-project', 'video', 'skeleton', 'special', 'icdar', 'masks', 'points3d'];

/** Recorded archives that this server writes differently, see docs/formats.md. */
const WRITTEN_DIFFERENTLY: readonly (readonly [format: RegExp, states: RegExp])[] = [
  // CVAT loses one of two images of one name when the subset of one task is empty and that of the other is Train.
  [/^Ultralytics/, /^images2d-project$/],
  // Outlines of masks: ours cover exactly the pixels.
  [/^Ultralytics YOLO Segmentation/, /^(?:images2d|icdar|masks)$/],
  // Tracks of polygons: between keyframes ours have the vertices of both.
  [
    /^(?:CamVid|Cityscapes|Datumaro 1.0|ICDAR Localization|KITTI 1|LabelMe|MOTS|Open Images|Segmentation mask)/,
    /^video$/,
  ],
  [/^Ultralytics YOLO Segmentation/, /^video$/],
  // Ellipses are polygons, and the polygons of groups include the outlines of masks and the vertices of both keyframes.
  [/^COCO 1/, /^(?:images2d|images2d-project|video|masks)$/],
  // Ids of persons are whole numbers: 12, not 12.0.
  [/^Market-1501/, /^special$/],
  // CVAT does not list an image whose tag has empty lists of pairs.
  [/^LFW/, /^special$/],
  // CVAT loses one of two images of one name in different subsets, because paths do not contain the subset.
  [/^(?:PASCAL VOC|Segmentation mask)/, /^images2d-project$/],
];

/** Recorded archives that this server reads differently, see docs/formats.md. */
const READ_DIFFERENTLY: readonly (readonly [format: RegExp, states: RegExp])[] = [
  // Masks become polygons if the import asks for it, and shapes of one track but different types are different tracks.
  [/^COCO 1/, /^(?:images2d|video|icdar|masks)$/],
  // Outlines of masks: ours cover exactly the pixels.
  [/^MOTS/, /^video$/],
  [/^Open Images/, /^(?:video|special)$/],
  // CVAT gives landmarks without a label that of another image; they are rejected.
  [/^LFW/, /^special$/],
  [/^(?:CamVid|Segmentation mask)/, /^(?:video|skeleton|special)$/],
  // CVAT reads empty values of attributes as None, and puts box k and mask k of an image into one group.
  [/^PASCAL VOC/, /^(?:images2d|video|special|icdar)$/],
];

/** Recorded archives whose images have other names. */
const NAMED_DIFFERENTLY: readonly (readonly [format: RegExp, states: RegExp])[] = [
  // CVAT loses one of two images of one name, because the format has no subsets.
  [/^(?:ImageNet|MOT 1)/, /^images2d-project$/],
];

/** CVAT reads these files neither, or lists images that have no masks. */
const KNOWN_REASON = /^(?:masks are not read if there are boxes|a list in ImageSets names its image)/;

const fileOf = (format: string): string => format.toLowerCase().replaceAll(' ', '-');

function sourceOfAll({ dataset, annotations }: RecordedDataset): AnnotationSource {
  const sources = new Map(dataset.tasks.map((task, at) => [task, sourceOf(annotations[at] ?? {})]));
  const of = (task: RecordedDataset['dataset']['tasks'][number]): AnnotationSource => sources.get(task) ?? sourceOf({});
  return {
    tags: (task) => of(task).tags(task),
    shapes: (task) => of(task).shapes(task),
    tracks: (task) => of(task).tracks(task),
  };
}

async function exportOf(format: ExportFormat, recorded: RecordedDataset, withImages: boolean): Promise<MemoryFiles> {
  const files = new MemoryFiles();
  const { dataset } = recorded;
  const paths = await format.write(dataset, sourceOfAll(recorded), files, exportOptions(withImages));
  for (const task of withImages ? dataset.tasks : []) {
    for (const frame of task.frames) {
      const related = format.relatedPaths?.(frame, dataset) ?? [];
      for (const path of [...(paths?.(frame) ?? [format.imagePath(frame, task, dataset)]), ...related]) {
        await files.addFile(path, Buffer.from('an image'));
      }
    }
  }
  return files;
}

(hasRecordedDatasets ? describe : describe.skip)('archives as CVAT 2.42 wrote them', () => {
  const cases = exportFormats.all
    .filter(({ info }) => !ELSEWHERE.test(info.name))
    .flatMap((format) => STATES.map((state) => ({ format, state, name: format.info.name })))
    .filter(({ name, state }) => recordedArchive(state, `${fileOf(name)}.zip`) !== undefined)
    .filter(
      ({ name, state }) => !WRITTEN_DIFFERENTLY.some(([format, states]) => format.test(name) && states.test(state)),
    );

  it.each(cases)('are exported: $name of $state', async ({ format, state, name }) => {
    const recorded = recordedDataset(state);
    const expected = recordedArchive(state, `${fileOf(name)}.zip`) ?? new Map<string, Buffer>();
    const { files } = await exportOf(format, recorded, false);
    const decimals = name.startsWith('Ultralytics') ? 5 : 2;
    const form = (archive: ReadonlyMap<string, Buffer>): object =>
      Object.fromEntries(
        [...archive].map(([path, content]) => {
          const own = name.startsWith('Sly') ? Buffer.from(slyText(String(content), archive)) : content;
          return [path, comparable(path, own, decimals)];
        }),
      );
    expect(form(files)).toEqual(form(expected));
    const withImages = recordedArchive(state, `${fileOf(name)}.images.zip`);
    const isNamedDifferently = NAMED_DIFFERENTLY.some(([format, states]) => format.test(name) && states.test(state));
    if (withImages === undefined || isNamedDifferently) return;
    const { paths } = await exportOf(format, recorded, true);
    expect(paths.toSorted()).toEqual([...withImages.keys()].toSorted());
  });

  const imports = importFormats.all
    .filter(({ info }) => !ELSEWHERE.test(info.name))
    .flatMap((format) => STATES.map((state) => ({ format, state, name: format.info.name })))
    .filter(({ name, state }) => recordedImport(state, `${fileOf(name)}.imported.json`) !== undefined)
    .filter(({ name, state }) => !READ_DIFFERENTLY.some(([format, states]) => format.test(name) && states.test(state)));

  it.each(imports)('are imported: $name of $state', async ({ format, state, name }) => {
    const { target } = recordedDataset(state);
    const archive = recordedArchive(state, `${fileOf(name)}.zip`) ?? new Map<string, Buffer>();
    const files = MemoryFiles.of(Object.fromEntries(archive));
    const masks = recordedImport(state, `${fileOf(name)}.masks.imported.json`);
    const expected = masks ?? recordedImport(state, `${fileOf(name)}.imported.json`) ?? {};
    const data = await imported(format, files, { ...target, masksToPolygons: masks === undefined });
    expect(recordedForm(data, target.labels)).toEqual(recordedForm(expected, target.labels));
  });

  it.each(imports)('have no file that is ignored: $name of $state', async ({ format, state, name }) => {
    const { target } = recordedDataset(state);
    const archive = recordedArchive(state, `${fileOf(name)}.zip`) ?? new Map<string, Buffer>();
    const notes = new ImportNotes(false);
    const account = new ArchiveAccount(format, MemoryFiles.of(Object.fromEntries(archive)), notes, '');
    for await (const _ of account.read(target));
    account.close({ replaced: 0, withImages: false });
    const ignored = notes.skipped.filter(({ kind, reason }) => kind === 'file' && !KNOWN_REASON.test(reason ?? ''));
    expect(ignored).toEqual([]);
  });

  it.each(imports)('are recognized: $name of $state', async ({ state, name }) => {
    const archive = recordedArchive(state, `${fileOf(name)}.zip`) ?? new Map<string, Buffer>();
    const formats = await likelyFormats(MemoryFiles.of(Object.fromEntries(archive)), importFormats.all, undefined);
    expect(formats.map(({ info }) => info.name)).toContain(name);
  });
});
