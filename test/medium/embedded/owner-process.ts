// A process that runs the embedded server until it is killed. The specs use it to test what remains after a `kill -9`.
import { startEmbedded } from '../../../src/core/database/embedded/start-embedded.js';

const log = { info: () => undefined, warn: console.error, error: console.error };
const { url } = await startEmbedded({ dataDir: process.argv[2] ?? '', log });
process.stdout.write(`${url}\n`);
setInterval(() => undefined, 60_000);
