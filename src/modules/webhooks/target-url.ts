const LABEL = '[a-z\\u00a1-\\uffff0-9](?:[a-z\\u00a1-\\uffff0-9-]{0,61}[a-z\\u00a1-\\uffff0-9])?';
const NAME = `(?:${LABEL}\\.)+(?:[a-z\\u00a1-\\uffff]{2,63}|xn--[a-z0-9-]{1,59})\\.?`;
const HOST = `(?:localhost|${NAME}|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]+\\])`;

/**
 * Where deliveries can go: http or https without user name and password; the host is a name with a dot in it,
 * `localhost` or an address.
 */
export const TARGET_URL = new RegExp(`^https?://${HOST}(?::\\d{1,5})?(?:[/?#]\\S*)?$`, 'i');
export const TARGET_URL_PROBLEM = 'Enter a valid URL.';

/** Is the text an address that a request can be sent to? The pattern alone lets ports and numbers be too large. */
export const isTargetUrl = (text: string): boolean => TARGET_URL.test(text) && URL.canParse(text);

/** Do two addresses name the same server (scheme, host and port)? */
export const isSameServer = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
