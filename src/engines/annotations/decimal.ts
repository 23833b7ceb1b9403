const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads a number as files and forms write it: decimal, with an exponent or without, blanks around it or none.
 * @returns NaN for any other text (`0x10`, `Infinity`, nothing), and for what is beyond the range of numbers
 */
export function decimal(text: string): number {
  const plain = text.trim();
  const value = DECIMAL.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(value) ? value : NaN;
}
