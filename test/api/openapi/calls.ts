import type { Caller } from './call.js';
import { auth } from './calls/auth.js';
import { cloudStorages } from './calls/cloud-storages.js';
import { consensus } from './calls/consensus.js';
import { events } from './calls/events.js';
import { exchange } from './calls/exchange.js';
import { functions } from './calls/functions.js';
import { jobs } from './calls/jobs.js';
import { lambda } from './calls/lambda.js';
import { people } from './calls/people.js';
import { assets, projects } from './calls/projects.js';
import { quality } from './calls/quality.js';
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
  ...quality,
  ...lambda,
  ...review,
  ...consensus,
  ...webhooks,
  ...events,
  ...exchange,
  ...functions,
};
