const Sequencer = require('@jest/test-sequencer').default;

/** Folders and files whose tests take longest, in seconds on a quiet machine. */
const LONG = [
  ['test/api/openapi/answers', 160],
  ['src/engines/media/video-decoder', 45],
  ['test/api/openapi/', 40],
  ['test/api/events/export', 30],
  ['test/api/webhooks/verifying', 28],
  ['test/api/media/video', 28],
  ['test/medium/process/', 23],
  ['formats/round-trip', 22],
  ['test/api/', 2],
  ['test/medium/', 2],
];
const lengthOf = ({ path }) => LONG.find(([part]) => path.includes(part))?.[1] ?? 0;

/** Starts long files first, so that no worker is alone with one at the end. Jest knows durations only from earlier runs. */
module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => lengthOf(b) - lengthOf(a));
  }
};
