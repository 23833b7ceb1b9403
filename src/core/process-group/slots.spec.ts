import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSlots, SlotWriter } from './slots.js';

describe('what a process is working on', () => {
  let folder: string;
  let file: number;
  let writer: SlotWriter;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-slots-'));
    file = openSync(join(folder, 'slots'), 'w+');
    writer = new SlotWriter(file);
  });
  afterEach(async () => {
    closeSync(file);
    await rm(folder, { recursive: true });
  });

  it('can be read as long as it goes on', () => {
    const [first] = ['one', 'two', 'three'].map((text) => writer.begin(text));
    first?.();
    expect(readSlots(file).toSorted()).toEqual(['three', 'two']);
  });

  it('is cut to the length of a slot', () => {
    writer.begin('x'.repeat(1_000));
    expect(readSlots(file)).toEqual(['x'.repeat(255)]);
  });

  it('is not recorded beyond the number of slots, which are used again', () => {
    const ends = Array.from({ length: 1_000 }, () => writer.begin('busy'));
    const count = readSlots(file).length;
    for (const end of ends) end();
    expect(readSlots(file)).toEqual([]);
    for (let more = 0; more < count; more += 1) writer.begin('again');
    expect(readSlots(file)).toEqual(Array.from({ length: count }, () => 'again'));
  });

  it('is empty at first', () => {
    expect(readSlots(file)).toEqual([]);
  });
});
