import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PreviewJob } from './image-job.js';
import { ImageProcess } from './image-process.js';
import { MediaError } from './media-error.js';

/** Responds with the image's name and its own process id; some names are commands. */
const PROGRAM = `
  process.on('disconnect', () => process.exit(0));
  process.on('message', ({ id, job }) => {
    const { name } = job.image;
    if (name === 'crash') process.exit(3);
    if (name === 'broken') return process.send({ id, failure: { message: 'broken', isMediaError: true } });
    if (name === 'full') return process.send({ id, failure: { message: 'full', isMediaError: false, code: 'ENOSPC' } });
    if (name === 'stuck') return;
    if (name === 'frozen') for (;;);
    if (name === 'working') return void setInterval(() => process.send({ id, done: 0.5 }), 100);
    if (name === 'bug') return process.send({ id, failure: { message: 'a bug', isMediaError: false } });
    const send = () => process.send({ id, result: Buffer.from(name + ' ' + process.pid + ' ' + (process.env.SECRET_KEY ?? '')) });
    setTimeout(send, name === 'slow' ? 200 : 0);
  });`;

const previewOf = (name: string): PreviewJob => ({
  kind: 'preview',
  image: { name, file: '' },
  limits: { maxPixels: 1 },
});

describe('ImageProcess', () => {
  let folder: string;
  let images: ImageProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-image-process-'));
    await writeFile(join(folder, 'program.mjs'), PROGRAM);
    images = new ImageProcess({ program: join(folder, 'program.mjs'), niceness: 0, idleMs: 60_000, limitMs: 60_000 });
  });

  afterEach(() => void jest.useRealTimers());
  afterAll(async () => {
    await images.stop();
    await rm(folder, { recursive: true });
  });

  const options = () => ({ program: join(folder, 'program.mjs'), niceness: 0, idleMs: 60_000, limitMs: 60_000 });

  it('returns the results of one process, which inherits no secrets', async () => {
    process.env['SECRET_KEY'] = 'not to be inherited';
    const [first, second] = await Promise.all(['a', 'b'].map((name) => images.run(previewOf(name))));
    delete process.env['SECRET_KEY'];
    expect(first?.toString()).toMatch(/^a \d+ $/);
    expect(second?.toString().slice(1)).toBe(first?.toString().slice(1));
  });

  it('forwards image errors, and distinguishes them from bugs', async () => {
    await expect(images.run(previewOf('broken'))).rejects.toThrow(new MediaError('broken'));
    await expect(images.run(previewOf('bug'))).rejects.not.toBeInstanceOf(MediaError);
  });

  it('names an image whose decoder crashes, and repeats the jobs lost with it', async () => {
    const slow = images.run(previewOf('slow'));
    await expect(images.run(previewOf('crash'))).rejects.toThrow(/^The decoder of 'crash' ended$/);
    expect((await slow).toString()).toMatch(/slow/);
    expect((await images.run(previewOf('after'))).toString()).toMatch(/^after /);
  });

  it('forwards the code of a system error', async () => {
    await expect(images.run(previewOf('full'))).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('cancels a job that takes too long, and continues', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
    const hurried = new ImageProcess(options());
    const stuck = hurried.run(previewOf('stuck'));
    jest.advanceTimersByTime(60_000);
    await expect(stuck).rejects.toThrow(new MediaError("TimeoutError: reading 'stuck' took too long"));
    expect((await hurried.run(previewOf('after'))).toString()).toMatch(/^after /);
    await hurried.stop();
  });

  it('does not cancel a job that reports progress', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
    const patient = new ImageProcess(options());
    const stopping = new AbortController();
    let reports = 0;
    const onProgress = (): void => {
      reports += 1;
      if (reports === 3) stopping.abort(new Error('enough'));
      else jest.advanceTimersByTime(59_000);
    };
    await expect(patient.run(previewOf('working'), { signal: stopping.signal, onProgress })).rejects.toThrow('enough');
    expect(reports).toBe(3);
    await patient.stop();
  });

  it('ends although a decoder is in an endless loop', async () => {
    const own = new ImageProcess(options());
    const frozen = expect(own.run(previewOf('frozen'))).rejects.toThrow('The server is stopping');
    await own.end();
    await frozen;
    await expect(own.run(previewOf('late'))).rejects.toThrow('The server is stopping');
  });

  it('kills a decoder when its only job is cancelled', async () => {
    const own = new ImageProcess(options());
    const stopping = new AbortController();
    const stuck = own.run(previewOf('stuck'), stopping);
    setTimeout(() => stopping.abort(new Error('cancelled')), 50);
    await expect(stuck).rejects.toThrow('cancelled');
    expect((await own.run(previewOf('after'))).toString()).toMatch(/^after /);
    await expect(own.run(previewOf('late'), stopping)).rejects.toThrow('cancelled');
    await own.stop();
  });

  it('continues with other jobs when one is cancelled', async () => {
    const own = new ImageProcess(options());
    const stopping = new AbortController();
    const stuck = own.run(previewOf('stuck'), stopping);
    const slow = own.run(previewOf('slow'));
    stopping.abort(new Error('cancelled'));
    await expect(stuck).rejects.toThrow('cancelled');
    expect((await slow).toString()).toMatch(/^slow /);
    await own.stop();
  });

  it('starts before the first job on wake', async () => {
    const woken = new ImageProcess({
      program: join(folder, 'program.mjs'),
      niceness: 0,
      idleMs: 60_000,
      limitMs: 60_000,
    });
    woken.wake();
    const [, pid] = (await woken.run(previewOf('a'))).toString().split(' ');
    woken.wake();
    expect((await woken.run(previewOf('b'))).toString()).toBe(`b ${pid} `);
    await woken.stop();
  });

  it('exits on stop, and starts again', async () => {
    const before = (await images.run(previewOf('x'))).toString();
    await images.stop();
    expect((await images.run(previewOf('x'))).toString()).not.toBe(before);
  });
});
