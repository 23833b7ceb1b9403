// A process that runs the embedded server until it is killed; the specs start it to see what a `kill -9` leaves.
import { startEmbedded } from '../../../src/core/database/embedded/start-embedded.js';

const log = { info: () => undefined, warn: console.error, error: console.error };
const { url } = await startEmbedded({ dataDir: process.argv[2] ?? '', log });
process.stdout.write(`${url}\n`);
setInterval(() => undefined, 60_000);
