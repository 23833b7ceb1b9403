/**
 * The `Content-Disposition` of a file.
 * @param kind `inline` for files that browsers may display
 * @param filename the user's file name; non-ASCII characters go into the extended form of RFC 6266
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\]/g, '\\$&');
  if (/^[\x20-\x7e]*$/.test(filename)) return `${kind}; filename="${plain}"`;
  const encoded = encodeURIComponent(filename.replaceAll(/\p{Cs}/gu, '_')).replaceAll(/['()*]/g, escape);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
