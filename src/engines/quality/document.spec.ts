import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { documentStream, documentText, DocumentWriter, storedDocument, TASK_URL } from './document.js';

describe('documentText', () => {
  it('is indented JSON', () => {
    const value = { a: [1, { b: [] }], c: {}, d: null, e: 'x"', f: true, g: undefined };
    expect(documentText(value, 0)).toBe(JSON.stringify(value, null, 2));
  });

  it('writes whole fractions with a decimal', () => {
    expect(documentText({ accuracy: 1, recall: 0.25, count: 1, precision: [1, 0.5] }, 0)).toBe(
      '{\n  "accuracy": 1.0,\n  "recall": 0.25,\n  "count": 1,\n  "precision": [\n    1.0,\n    0.5\n  ]\n}',
    );
  });
});

describe('DocumentWriter', () => {
  it('writes members that follow a header', async () => {
    const writer = new DocumentWriter();
    await writer.member('summary', { accuracy: 1 });
    await writer.members('none', '{}', []);
    await writer.members('list', '[]', [documentText({ a: 1 }, 2), documentText(2, 2)]);
    const stored = await writer.end();
    expect(gunzipSync(stored).toString()).toMatch(/^,\n {2}"summary"/);
    const whole = await text(documentStream({ id: 7, job_id: 8 }, stored));
    const value = { id: 7, job_id: 8, summary: { accuracy: 1 }, none: {}, list: [{ a: 1 }, 2] };
    expect(whole).toBe(`${JSON.stringify(value, null, 2).replace('"accuracy": 1', '"accuracy": 1.0')}\n`);
  });

  it('stores the same as for a document in memory', async () => {
    const writer = new DocumentWriter();
    await writer.member('a', { recall: 1 });
    await writer.members('b', '[]', [documentText(1, 2)]);
    const stored = storedDocument({ a: { recall: 1 }, b: [1] });
    expect(gunzipSync(await writer.end()).toString()).toBe(gunzipSync(stored).toString());
  });

  it('can be read without the frames', async () => {
    const summary = {
      name: 'ü,\n  "conflicts": x',
      conflicts: 3,
      list: Array.from({ length: 9_000 }, (_, id) => ({ id })),
    };
    const stored = storedDocument({ frame_results: { 1: {} }, conflicts: [], summary });
    const short = await text(documentStream({ id: 7 }, stored, { frames: false }));
    expect(JSON.parse(short)).toEqual({ id: 7, summary });
    const whole = JSON.parse(await text(documentStream({ id: 7 }, stored))) as object;
    expect(Object.keys(whole)).toEqual(['id', 'summary', 'frame_results', 'conflicts']);
    const none = await text(documentStream({ id: 7 }, storedDocument({ summary: 1 }), { frames: false }));
    expect(JSON.parse(none)).toEqual({ id: 7, summary: 1 });
  });

  it('gets the URL of the task when it is read, wherever it occurs', async () => {
    const items = Array.from({ length: 9_000 }, (_, id) => ({
      name: 'ü'.repeat(id % 7),
      url: `${TASK_URL}/jobs/${id}`,
    }));
    const taskUrl = 'https://bücher.example/"tasks"/5';
    const whole = JSON.parse(await text(documentStream({ id: 7 }, storedDocument({ items }), { taskUrl }))) as object;
    expect(whole).toEqual({ id: 7, items: items.map((item, id) => ({ ...item, url: `${taskUrl}/jobs/${id}` })) });
  });

  it('keeps long documents', async () => {
    const writer = new DocumentWriter();
    const items = Array.from({ length: 20_000 }, (_, id) => documentText({ id }, 2));
    await writer.members('items', '[]', items);
    const whole = JSON.parse(await text(documentStream({ id: 1 }, await writer.end()))) as { items: { id: number }[] };
    expect([whole.items.length, whole.items.at(-1)]).toEqual([20_000, { id: 19_999 }]);
  });
});
