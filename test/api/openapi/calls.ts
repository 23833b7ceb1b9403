import type { Caller } from './call.js';
import { auth } from './calls/auth.js';
import { cloudStorages } from './calls/cloud-storages.js';
import { exchange } from './calls/exchange.js';
import { jobs } from './calls/jobs.js';
import { people } from './calls/people.js';
import { assets, projects } from './calls/projects.js';
import { review } from './calls/review.js';
import { server } from './calls/server.js';
import { tasks } from './calls/tasks.js';
import { webhooks } from './calls/webhooks.js';

/** How to call each operation of the document. */
export const CALLS: Readonly<Record<string, Caller>> = {
  ...auth,
  ...people,
  ...server,
  ...cloudStorages,
  ...projects,
  ...assets,
  ...tasks,
  ...jobs,
  ...review,
  ...webhooks,
  ...exchange,
};
