import { open } from 'node:fs/promises';

/** Reads a file into one buffer. From 512 KB on, `readFile` reads in parts and then copies them into one. */
export async function readWholeFile(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const content = Buffer.allocUnsafeSlow(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await file.read(content, at, size - at, at);
      if (bytesRead === 0) break; // it was cut meanwhile
      at += bytesRead;
    }
    return content.subarray(0, at);
  } finally {
    await file.close();
  }
}
