import { Link } from './link.js';

let link: Link | null = null;

/** Declares that a supervisor has started this process, and monitors it. Call it before anything else. */
export function joinGroup(): Link {
  link ??= new Link(process);
  return link;
}

/** The link to the supervisor; null for a process without one, such as a command or a test. */
export const groupLink = (): Link | null => link;

/** Whether a supervisor has started this process. */
export const isMember = (): boolean => link !== null;
