import { contentDisposition } from '../../core/http/content-disposition.js';

/** `Content-Disposition` of a file that a browser may show. */
export const inline = (filename: string): string => contentDisposition('inline', filename);

/**
 * `Content-Security-Policy` of a file from a person: it may neither run nor load anything. Browsers show no PDF in a
 * sandbox; their viewers are one themselves.
 */
export const securityPolicyFor = (type: string): string =>
  type === 'application/pdf' ? "default-src 'none'; object-src 'self'" : "default-src 'none'; sandbox";
