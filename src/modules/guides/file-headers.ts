/**
 * `Content-Disposition` of a file that a browser may show.
 * @param filename as the person called it; other characters than ASCII go into the extended form of RFC 6266
 */
export function inline(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\]/g, '\\$&');
  if (/^[\x20-\x7e]*$/.test(filename)) return `inline; filename="${plain}"`;
  const encoded = encodeURIComponent(filename).replaceAll(/['()*]/g, escape);
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const escape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/**
 * `Content-Security-Policy` of a file from a person: it may neither run nor load anything. Browsers show no PDF in a
 * sandbox; their viewers are one themselves.
 */
export const securityPolicyFor = (type: string): string =>
  type === 'application/pdf' ? "default-src 'none'; object-src 'self'" : "default-src 'none'; sandbox";
