/** Shorter control bytes announce literal bytes, others a copy of earlier output. */
const LITERALS = 32;

/**
 * Decompresses LZF, the compression of PCD files.
 * @param size of the result in bytes
 * @throws Error if the data is damaged
 */
export function decompress(input: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  let [at, end] = [0, 0];
  const next = (): number => {
    const byte = input[at];
    if (byte === undefined) throw damaged();
    at += 1;
    return byte;
  };
  while (at < input.length) {
    const control = next();
    if (control < LITERALS) {
      const count = control + 1;
      if (at + count > input.length || end + count > size) throw damaged();
      output.set(input.subarray(at, at + count), end);
      at += count;
      end += count;
    } else {
      const length = (control >> 5) + 2 + (control >> 5 === 7 ? next() : 0);
      const from = end - ((control & 31) << 8) - next() - 1;
      if (from < 0 || end + length > size) throw damaged();
      // Source and target may overlap, so that a copy repeats itself.
      for (let i = 0; i < length; i += 1) output[end + i] = output[from + i] ?? 0;
      end += length;
    }
  }
  if (end !== size) throw damaged();
  return output;
}

const damaged = (): Error => new Error('The compressed points are damaged.');
