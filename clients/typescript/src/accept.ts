/** The client requests the newest API version, which its types describe. */
export const ACCEPT = 'application/vnd.cvat+json; version=2.2, application/json';
