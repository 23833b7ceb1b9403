const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Parses a number as written in files and forms: decimal, with or without exponent, optionally surrounded by spaces.
 * @returns NaN for any other text (`0x10`, `Infinity`, empty), and for numbers out of range
 */
export function decimal(text: string): number {
  const plain = text.trim();
  const value = DECIMAL.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(value) ? value : NaN;
}
