import type { ModelKind } from './model';

const FILES: Readonly<Record<ModelKind, string>> = {
  detector: 'detector.py',
  interactor: 'interactor.py',
  tracker: 'tracker.py',
  reid: 'reid.py',
};

/** The options of `cvat-cli` for this server. */
function serverOptions(): string {
  const { protocol, hostname, port } = window.location;
  const number = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return `--server-host ${protocol}//${hostname} --server-port ${number}`;
}

/** Passes an access token to `cvat-cli`. */
const TOKEN = 'export CVAT_ACCESS_TOKEN=…';

/** Registers a function. The command writes its id. */
export const createCommand = (): string =>
  `pip install cvat-cli\n${TOKEN}\ncvat-cli ${serverOptions()} function create-native "My model" --function-file model.py`;

/**
 * Runs a function, on any machine that reaches the server.
 * @param kind undefined: any
 */
export const runCommand = (id: number | string, kind?: ModelKind): string =>
  `${TOKEN}\ncvat-cli ${serverOptions()} function run-agent ${id} --function-file ${kind === undefined ? 'model.py' : FILES[kind]}`;
