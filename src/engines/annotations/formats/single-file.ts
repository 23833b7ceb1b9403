import { open } from 'node:fs/promises';

/** Extensions by the beginning of a file. */
const TYPES = [
  { start: /^\s*(?:\{\s*["}]|\[\s*[[{\]])/, extensions: /\.(?:json|jsonl|geojson)$/i, own: '.json' },
  { start: /^\s*<[?!a-z]/i, extensions: /\.xml$/i, own: '.xml' },
  { start: /^PAR1/, extensions: /\.parquet$/i, own: '.parquet' },
] as const;

/** Bytes that tell the type. */
const HEAD = 512;

/**
 * The name of a file that is no archive, with the extension of its content: a client may call JSON `a.zip`.
 * @returns undefined if it claims to be an archive, and its content tells no other type
 */
export async function nameByContent(path: string, name: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const text = new TextDecoder(buffer[0] === 0xff ? 'utf-16le' : 'utf-8').decode(buffer.subarray(0, bytesRead));
    const type = TYPES.find(({ start }) => start.test(text));
    if (type === undefined) return /\.zip$/i.test(name) ? undefined : name;
    return type.extensions.test(name) ? name : name.replace(/\.[^./]*$/, '') + type.own;
  } finally {
    await file.close();
  }
}
