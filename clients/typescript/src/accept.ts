/** Answers are asked for, and typed, in the newest API version. */
export const ACCEPT = 'application/vnd.cvat+json; version=2.2, application/json';
