/**
 * The `Content-Disposition` of a file. The quoted name has only characters that every client accepts: cvat-sdk rejects all
 * others, and some browsers decode `%`. Others are replaced, and the name follows in the extended form of RFC 6266.
 * @param kind `inline` for files that browsers may display
 * @param filename the user's file name
 */
export function contentDisposition(kind: 'inline' | 'attachment', filename: string): string {
  const plain = filename.replaceAll(/[^A-Za-z0-9_. -]/g, '_');
  if (plain === filename) return `${kind}; filename="${plain}"`;
  const encoded = encodeURIComponent(filename.replaceAll(/\p{Cs}/gu, '_')).replaceAll(/['()*]/g, escape);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
