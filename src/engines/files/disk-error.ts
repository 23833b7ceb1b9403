import { isNativeError } from 'node:util/types';

/** Whether an error comes from reading or writing a local file, not from another server. */
export function isOfDisk(error: unknown): boolean {
  if (!isNativeError(error) || !('syscall' in error)) return false;
  return 'path' in error || /ENOSPC|EDQUOT/.test(error.message);
}
