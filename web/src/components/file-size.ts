const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** 1536 is "1.5 KB". */
export function fileSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power]}`;
}
