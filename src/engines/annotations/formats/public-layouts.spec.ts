import { describe, expect, it } from '@jest/globals';
import { MemoryFiles, plainLabel } from '../../../../test/support/datasets.js';
import { ArchiveAccount } from './archive-account.js';
import type { ImportTarget } from './format.js';
import { ImportNotes } from './import-notes.js';
import { encodePng } from './items/png.js';
import { importFormats } from './registry.js';

type Files = Readonly<Record<string, string | Uint8Array>>;

const attribute = (id: number, name: string) => ({
  id,
  name,
  mutable: false,
  inputType: 'text',
  defaultValue: '',
  values: [],
});

const labels = [
  plainLabel(1, 'car'),
  plainLabel(2, 'person'),
  plainLabel(3, 'face'),
  { ...plainLabel(4, 'icdar'), attributes: [attribute(40, 'text')] },
  { ...plainLabel(5, 'body'), type: 'skeleton' },
  { ...plainLabel(6, 'head'), type: 'points', parentId: 5 },
  plainLabel(7, 'market-1501'),
];

const target: ImportTarget = {
  labels,
  mode: 'annotation',
  frames: ['img1.jpg', 'img2.jpg', 'sub/img3.jpg', '0002_c1s1_000451_03.jpg'].map((name, frame) => ({
    frame,
    number: frame,
    name,
    width: 100,
    height: 80,
  })),
};

/** @returns the number of annotations, what was reported, and why the import fails */
async function outcomeOf(name: string, files: Files) {
  const format = importFormats.find(name);
  if (format === undefined) throw new Error(`no format ${name}`);
  const notes = new ImportNotes(false);
  const account = new ArchiveAccount(format, MemoryFiles.of(files), notes, 'https://cairn.test/help/formats');
  let error: string | null = null;
  try {
    for await (const _ of account.read(target));
    account.close({ replaced: 1, withImages: false });
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const { tags, shapes, tracks } = notes.imported;
  return {
    error,
    annotations: tags + shapes + tracks,
    skipped: notes.skipped.filter(({ kind }) => kind !== 'attribute').map((each) => each.name),
  };
}

const complete = (annotations: number) => ({ error: null, annotations, skipped: [] });

const BOX = '0 .5 .5 .1 .1\n';
const CLASSES = 'car\nperson\n';
const DATA = 'classes=2\ntrain=data/train.txt\nnames=data/obj.names\n';
const VOC = '<annotation><filename>img1.jpg</filename><object><name>car</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>'; // prettier-ignore
const COCO = (file: string): string =>
  JSON.stringify({
    images: [{ id: 1, file_name: file }],
    categories: [{ id: 1, name: 'car' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [1, 1, 5, 5] }],
  });
const mask = (value: number): Promise<Uint8Array> =>
  encodePng({ width: 100, height: 80, channels: 1, data: new Uint16Array(8000).fill(value, 0, 10) });
const [CAR_MASK, OTHER_MASK] = await Promise.all([mask(1001), mask(7)]);

const READ: readonly (readonly [format: string, layout: string, files: Files, annotations: number])[] = [
  ['YOLO 1.1', 'darknet', { 'data/obj.data': DATA, 'data/obj.names': CLASSES, 'data/train.txt': 'data/obj/img1.jpg\ndata/obj/img2.jpg\n', 'data/obj/img1.txt': BOX, 'data/obj/img2.txt': BOX }, 2],
  ['YOLO 1.1', 'darknet with images', { 'obj.names': CLASSES, 'obj/img1.txt': BOX, 'obj/img1.jpg': 'JPEG', 'obj/img2.txt': '', 'train.txt': 'obj/img1.jpg\nobj/img2.jpg' }, 1],
  ['YOLO 1.1', 'all in one folder', { 'obj.names': CLASSES, 'train.txt': 'img1.jpg\n', 'img1.txt': BOX, 'img2.txt': BOX }, 2],
  ['YOLO 1.1', 'images in folders', { 'obj.names': CLASSES, 'labels/sub/img3.txt': BOX }, 1],
  ['YOLO 1.1', 'labelImg', { 'classes.txt': CLASSES, 'img1.txt': BOX, 'img1.jpg': 'JPEG' }, 1],
  ['YOLO 1.1', 'Roboflow', { 'train/_darknet.labels': CLASSES, 'train/img1.jpg': 'JPEG', 'train/img1.txt': BOX, 'README.roboflow.txt': 'x' }, 1],
  ['Ultralytics YOLO Detection 1.0', 'Roboflow', { 'data.yaml': 'train: ../train/images\nnc: 2\nnames: [car, person]', 'train/images/img1.jpg': 'JPEG', 'train/labels/img1.txt': BOX, 'README.dataset.txt': 'x' }, 1],
  ['Ultralytics YOLO Detection 1.0', 'without subsets', { 'data.yaml': 'names: [car, person]', 'labels/img1.txt': BOX, 'images/img1.jpg': 'JPEG' }, 1],
  ['Ultralytics YOLO Detection 1.0', 'Label Studio', { 'classes.txt': CLASSES, 'notes.json': '{}', 'labels/img1.txt': BOX, 'images/img1.jpg': 'JPEG' }, 1],
  ['Ultralytics YOLO Detection 1.0', 'labels beside images', { 'dataset/data.yaml': 'names: [car, person]', 'dataset/train/img1.txt': BOX, 'dataset/train/img1.jpg': 'JPEG' }, 1],
  ['Ultralytics YOLO Segmentation 1.0', 'with a cache', { 'data.yaml': 'names: [car]', 'labels/train/img1.txt': '0 .1 .1 .2 .1 .2 .2', 'labels/train.cache': 'x' }, 1],
  ['Ultralytics YOLO Classification 1.0', 'folders', { 'train/car/img1.jpg': 'JPEG', 'val/person/img2.jpg': 'JPEG' }, 2],
  ['ImageNet 1.0', 'folders', { 'car/img1.jpg': 'JPEG', 'person/img2.jpg': 'JPEG' }, 2],
  ['ImageNet 1.0', 'folders of subsets', { 'train/car/img1.jpg': 'JPEG', 'val/person/img2.jpg': 'JPEG' }, 2],
  ['ImageNet 1.0', 'lists in a folder', { 'a/synsets.txt': CLASSES, 'a/train.txt': 'img1.jpg 0\nimg2.jpg 1\n' }, 2],
  ['PASCAL VOC 1.1', 'labelImg', { 'img1.xml': VOC, 'img1.jpg': 'JPEG' }, 1],
  ['PASCAL VOC 1.1', 'Roboflow', { 'train/img1.xml': VOC, 'train/img1.jpg': 'JPEG', 'README.dataset.txt': 'x' }, 1],
  ['PASCAL VOC 1.1', 'VOC2007', { 'VOCdevkit/VOC2007/Annotations/img1.xml': VOC, 'VOCdevkit/VOC2007/ImageSets/Main/train.txt': 'img1\n', 'VOCdevkit/VOC2007/JPEGImages/img1.jpg': 'JPEG' }, 1],
  ['PASCAL VOC 1.1', 'lists with extensions', { 'Annotations/img1.xml': VOC, 'ImageSets/Main/train.txt': 'JPEGImages/img1.jpg\n' }, 1],
  ['COCO 1.0', 'Roboflow', { 'train/_annotations.coco.json': COCO('img1.jpg'), 'train/img1.jpg': 'JPEG' }, 1],
  ['COCO 1.0', 'one file with images', { 'annotations/instances_val2017.json': COCO('img1.jpg'), 'val2017/img1.jpg': 'JPEG' }, 1],
  ['MOT 1.1', 'the challenge', { 'MOT17-02/gt/gt.txt': '1,1,10,10,5,5,1,3,1\n', 'MOT17-02/seqinfo.ini': '[Sequence]', 'MOT17-02/det/det.txt': '1,-1,1,1,1,1,1' , 'MOT17-02/img1/000001.jpg': 'JPEG' }, 1],
  ['MOT 1.1', 'one text', { 'tracks.txt': '1,1,10,10,5,5,1,3,1\n' }, 1],
  ['WiderFace 1.0', 'the original', { 'wider_face_split/wider_face_val_bbx_gt.txt': '0--face/img1.jpg\n1\n1 1 5 5 0 0 0 0 0 0\nno_label/img2.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n', 'wider_face_split/wider_face_val.mat': 'x', 'wider_face_split/readme.txt': 'x' }, 2],
  ['WiderFace 1.0', 'one list', { 'wider_face_val_bbx_gt.txt': 'no_label/img1.jpg\n1\n1 1 5 5\n' }, 1],
  ['Open Images V6 1.0', 'the original', { 'class-descriptions-boxable.csv': '/m/01,car\n', 'validation-annotations-bbox.csv': 'ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax\nimg1,x,/m/01,1,0,0.5,0,0.5\n', 'validation-images-with-rotation.csv': 'ImageID\nimg1\n' }, 1],
  ['ICDAR Localization 1.0', 'the challenge', { 'gt_img1.txt': '377,117,463,117,465,130,378,130,Genaxis\n', 'img1.jpg': 'JPEG' }, 1],
  ['ICDAR Recognition 1.0', 'the challenge', { 'gt.txt': 'img1.jpg, "Genaxis"\nimg2.jpg, ""\n', 'img1.jpg': 'JPEG' }, 2],
  ['LFW 1.0', 'lists in the root', { 'pairs.txt': 'car\timg1\timg2\n' }, 2],
  ['VGGFace2 1.0', 'tables in the root', { 'loose_bb_train.csv': 'NAME_ID,X,Y,W,H\r\nface/img1,1,1,5,5\r\n' }, 1],
  ['Market-1501 1.0', 'images without lists', { 'bounding_box_train/0002_c1s1_000451_03.jpg': 'JPEG' }, 1],
  ['Datumaro 1.0', 'a file beside images', { 'default.json': JSON.stringify({ categories: { label: { labels: [{ name: 'car' }] } }, items: [{ id: 'img1', annotations: [{ type: 'label', label_id: 0 }] }] }), 'img1.jpg': 'JPEG' }, 1],
  ['KITTI 1.0', 'the benchmark', { 'training/label_2/img1.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1\n', 'training/calib/img1.txt': 'P0: 1', 'training/image_2/img1.png': 'PNG', 'training/velodyne/img1.bin': 'x' }, 1],
  ['Cityscapes 1.0', 'the original', { 'label_colors.txt': '0 0 0 background\n9 9 9 car\n', ...Object.fromEntries(['instanceIds', 'labelIds', 'color'].map((kind) => [`gtFine/train/aachen/img1_gtFine_${kind}.png`, CAR_MASK])), 'gtFine/train/aachen/img1_gtFine_polygons.json': '{}' }, 1],
] as const; // prettier-ignore

const REPORTED: readonly (readonly [format: string, what: string, files: Files, skipped: readonly string[]])[] = [
  ['YOLO 1.1', 'a text that is neither a list nor labels', { 'obj.names': CLASSES, 'img1.txt': BOX, 'other.txt': 'hello' }, ['other.txt']],
  ['COCO 1.0', 'files of other tasks', { 'annotations/instances_train.json': COCO('img1.jpg'), 'annotations/captions_train.json': '{"annotations":[]}' }, ['annotations/captions_train.json']],
  ['COCO 1.0', 'other JSON', { 'a.json': COCO('img1.jpg'), 'b.json': '[1]' }, ['b.json']],
  ['KITTI 1.0', 'masks beside boxes', { 'label_2/img1.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1\n', 'instance/img2.png': 'PNG', 'semantic/img2.png': 'PNG' }, ['instance/img2.png']],
  ['KITTI 1.0', 'boxes in other folders', { 'label_2/img1.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1\n', 'detected/img2.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1 1.0\n' }, ['detected/img2.txt']],
  ['PASCAL VOC 1.1', 'files that no list names', { 'Annotations/img1.xml': VOC, 'Annotations/img2.xml': VOC, 'ImageSets/Main/train.txt': 'img1\n' }, ['Annotations/img2.xml']],
  ['PASCAL VOC 1.1', 'images without files', { 'Annotations/img1.xml': VOC, 'ImageSets/Main/train.txt': 'img1\nimg2\n' }, ['Annotations/img2.xml']],
  ['PASCAL VOC 1.1', 'objects without boxes', { 'img1.xml': VOC.replace('</object>', '</object><object><name>car</name></object>') }, ['object']],
  ['MOT 1.1', 'another sequence', { 'a/gt/gt.txt': '1,1,10,10,5,5,1,3,1\n', 'b/gt/gt.txt': '1,1,10,10,5,5,1,3,1\n' }, ['b/gt/gt.txt']],
  ['Ultralytics YOLO Detection 1.0', 'an archive in the archive', { 'data.yaml': 'names: [car]', 'labels/train/img1.txt': BOX, 'more.zip': 'PK' }, ['more.zip']],
  ['Hugging Face ImageFolder 1.0', 'other columns', { 'metadata.jsonl': '{"file_name":"img1.jpg","label":3,"tags":["car"]}' }, ['column label']],
  ['ICDAR Recognition 1.0', 'lines without quotes', { 'gt.txt': 'img1.jpg, "A"\nimg2.jpg, none\n' }, ["'img2.jpg, none'"]],
  ['WiderFace 1.0', 'unknown events', { 'wider_face_split/wider_face_val_bbx_gt.txt': '0--Parade/img1.jpg\n1\n1 1 5 5\n' }, ['Parade']],
  ['Datumaro 1.0', 'captions', { 'annotations/a.json': JSON.stringify({ categories: { label: { labels: [{ name: 'car' }] } }, items: [{ id: 'img1', annotations: [{ type: 'label', label_id: 0 }, { type: 'caption', caption: 'x' }] }] }) }, ['caption']],
  ['CVAT 1.1', 'unknown elements', { 'a.xml': '<annotations><image name="img1.jpg"><tag label="car"/></image><cuboid3d/></annotations>' }, ['<cuboid3d>']],
  ['COCO Keypoints 1.0', 'boxes of skeletons', { 'a.json': JSON.stringify({ images: [{ id: 1, file_name: 'img1.jpg' }], categories: [{ id: 1, name: 'body', keypoints: ['head'] }], annotations: [{ image_id: 1, category_id: 1, keypoints: [1, 1, 2] }, { image_id: 1, category_id: 1, bbox: [1, 1, 5, 5] }] }) }, ['body']],
] as const; // prettier-ignore

const REJECTED: readonly (readonly [format: string, what: string, files: Files, message: string])[] = [
  ['KITTI 1.0', 'files without folders', { 'label_colors.txt': '0 0 0 background\n9 9 9 car\n', 'img1.txt': 'car 0.0 0 -1 1 2 3 4 -1 -1 -1 -1 -1 -1 -1\n' }, "'img1.txt' (boxes are read from folders label_2 only)"],
  ['Cityscapes 1.0', 'files without folders', { 'label_colors.txt': '0 0 0 background\n9 9 9 car\n', 'img1_gtFine_instanceIds.png': CAR_MASK }, "'img1_gtFine_instanceIds.png' (masks are read from folders gtFine only)"],
  ['Segmentation mask 1.1', 'masks as JPEG', { 'labelmap.txt': 'car:255,0,0::', 'SegmentationClass/img1.jpg': Buffer.from([0xff, 0xd8]), 'ImageSets/Segmentation/default.txt': 'img1' }, 'SegmentationClass/img1.jpg: JPEG changes the colours of masks. Save it as PNG'],
  ['Segmentation mask 1.1', 'lists without masks', { 'labelmap.txt': 'car:255,0,0::', 'ImageSets/Segmentation/default.txt': 'img1' }, "'SegmentationClass/img1.png' (a list in ImageSets names its image"],
  ['COCO Keypoints 1.0', 'boxes of skeletons only', { 'a.json': JSON.stringify({ images: [{ id: 1, file_name: 'img1.jpg' }], categories: [{ id: 1, name: 'body', keypoints: ['head'] }], annotations: [{ image_id: 1, category_id: 1, bbox: [1, 1, 5, 5] }] }) }, 'it has no keypoints. Use COCO 1.0 for boxes'],
  ['PASCAL VOC 1.1', 'files of LabelMe', { 'img1.xml': '<annotation><object><name>car</name><polygon/></object></annotation>' }, "'object' (img1.xml, line 1: it has no bndbox)"],
  ['Hugging Face ImageFolder 1.0', 'boxes without categories', { 'metadata.jsonl': '{"file_name":"img1.jpg","objects":{"bbox":[[1,1,5,5]]}}' }, 'objects have 1 bbox, but 0 categories'],
  ['MOTS PNG 1.0', 'numbers without a label', { 'instances/labels.txt': 'car', 'instances/img1.png': OTHER_MASK }, 'the value 7 is not the number of a label and an object'],
  ['WiderFace 1.0', 'more boxes than announced', { 'wider_face_split/wider_face_a_bbx_gt.txt': 'x/img1.jpg\n1\n1 1 5 5\n2 2 5 5\n' }, 'the image has more than 1 boxes'],
  ['YOLO 1.1', 'empty texts only', { 'obj.data': DATA, 'obj.names': CLASSES, 'obj_train_data/img1.txt': '' }, 'The file has no annotations, so the 1 existing ones were kept'],
  ['VGGFace2 1.0', 'tables without the names of columns', { 'bb_landmark/loose_bb_a.csv': '', 'bb_landmark/loose_landmark_a.csv': 'NAME_ID\r\ncar/img1\r\n' }, 'bb_landmark/loose_bb_a.csv: the file is empty. Its first line must name the columns'],
  ['MOT 1.1', 'several texts with rows', { 'a.txt': '1,1,1,1,1,1,1\n', 'b.txt': '1,1,1,1,1,1,1\n' }, 'Check [format docs](https://cairn.test/help/formats#mot-11). Dataset must contain a file: "gt/gt.txt".'],
  ['Datumaro 1.0', 'JSON of another tool', { 'annotations/a.json': '{"version":"5.0","shapes":[]}' }, 'annotations/a.json: this is not Datumaro: it has no list items'],
] as const; // prettier-ignore

describe('layouts of other tools', () => {
  it.each(READ)('%s reads the layout %s completely', async (format, _layout, files, annotations) => {
    expect(await outcomeOf(format, files)).toEqual(complete(annotations));
  });

  it.each(REPORTED)('%s reports %s', async (format, _what, files, skipped) => {
    expect(await outcomeOf(format, files)).toMatchObject({ error: null, skipped });
  });

  it.each(REJECTED)('%s rejects %s', async (format, _what, files, message) => {
    expect((await outcomeOf(format, files)).error).toContain(message);
  });
});

describe('files that are called like documents', () => {
  it('are read if an image has this name', async () => {
    const frames = [{ frame: 0, number: 0, name: 'license.jpg', width: 100, height: 80 }];
    const files = MemoryFiles.of({ 'obj.names': CLASSES, 'license.txt': BOX, 'README.txt': 'x' });
    const notes = new ImportNotes(false);
    const format = importFormats.find('YOLO 1.1');
    if (format === undefined) throw new Error('no YOLO');
    for await (const _ of new ArchiveAccount(format, files, notes, '').read({ ...target, frames }));
    expect(notes.imported.shapes).toBe(1);
  });
});
