import { describe, expect, it } from '@jest/globals';
import { imported, MemoryFiles } from '../../../../test/support/datasets.js';
import { repeatedKey } from './json-ends.js';
import { importFormats } from './registry.js';

const coco = '"categories": [{"id": 1, "name": "car"}], "images": [{"id": 1, "file_name": "a.jpg"}]';
const box = '{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}';
const cocoTwice = { 'a.json': `{"annotations": [], ${coco}, "annotations": [${box}]}` };
const labels = '"categories": {"label": {"labels": [{"name": "car"}]}}';
const item = '{"id": "a", "annotations": []}';
const meta = '{"classes": [], "tags": []}';
const inAnnotations = { 'meta.json': meta, 'ds0/ann/a.pcd.json': '{"key": "x", "objects": [], "figures": [], "figures": []}' }; // prettier-ignore

const TWICE: readonly [format: string, files: Record<string, string>, error: string][] = [
  ['COCO 1.0', cocoTwice, "a.json: the key 'annotations' is there twice"],
  ['COCO 1.0', { 'a.json': `{${coco}, "images": [], "annotations": [${box}]}` }, "a.json: the key 'images' is there twice"], // prettier-ignore
  ['COCO 1.0', { 'a.json': `{${coco}, "annotations": [${box.replace('{', '{"bbox": [0, 0, 9, 9], ')}]}` }, "a.json, annotations[0]: the key 'bbox' is there twice"], // prettier-ignore
  ['COCO Keypoints 1.0', cocoTwice, "a.json: the key 'annotations' is there twice"],
  ['COCO Panoptic 1.0', { 'panoptic_a.json': cocoTwice['a.json'] }, "panoptic_a.json: the key 'annotations' is there twice"], // prettier-ignore
  ['Datumaro 1.0', { 'a.json': `{${labels}, "items": [${item}], "items": []}` }, "a.json: the key 'items' is there twice"], // prettier-ignore
  ['Datumaro 1.0', { 'a.json': `{${labels}, "items": [${item.replace('}', ', "annotations": []}')}]}` }, "a.json, items[0]: the key 'annotations' is there twice"], // prettier-ignore
  ['Sly Point Cloud Format 1.0', inAnnotations, "ds0/ann/a.pcd.json: the key 'figures' is there twice"],
  ['Hugging Face ImageFolder 1.0', { 'data/train/metadata.jsonl': '{"file_name": "a.jpg", "tags": ["car"], "tags": []}' }, "data/train/metadata.jsonl, line 1: the key 'tags' is there twice"], // prettier-ignore
];

describe('columns of CSV', () => {
  it.each(['XMin', 'LabelName'])('are refused if %s is there twice', async (column) => {
    const table = `ImageID,LabelName,XMin,XMax,YMin,YMax,${column}\n`;
    const files = MemoryFiles.of({ 'annotations/a-annotations-bbox.csv': `${table}a,car,0,1,0,1,1\n` });
    const importer = importFormats.find('Open Images V6 1.0');
    const error = `annotations/a-annotations-bbox.csv, line 1: the column '${column}' is there twice`;
    await expect(importer && imported(importer, files)).rejects.toThrow(error);
  });
});

describe('keys of JSON', () => {
  it.each(TWICE)('%s: one that is there twice is refused (%j)', async (format, files, error) => {
    const importer = importFormats.find(format);
    if (importer === undefined) throw new Error(`There is no format ${format}`);
    await expect(imported(importer, MemoryFiles.of(files))).rejects.toThrow(error);
  });

  it.each([
    ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', undefined],
    [String.raw`{"a": "\"a\": 1, \\", "b": ["a", "a"]}`, undefined],
    ['{"a": {"b": 1,\n"b" : 2}}', 'b'],
    [String.raw`{"a": 1, "\u0061": 2}`, 'a'],
    ['{"__proto__": 1, "__proto__": 2}', '__proto__'],
  ])('in %j, the repeated one is %j', (text, key) => {
    expect(repeatedKey(text)).toBe(key);
  });
});
