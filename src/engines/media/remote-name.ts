import { safeMediaPath } from './file-name.js';
import { MediaError } from './media-error.js';

/** The name of a file that is fetched by its address: the last part of the path. Null where there is no usable one. */
export function remoteName(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  try {
    const name = safeMediaPath(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
    return name.includes('/') ? null : name;
  } catch (error) {
    if (error instanceof MediaError || error instanceof URIError) return null;
    throw error;
  }
}
