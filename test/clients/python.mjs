// The virtual environment with the official clients. It is created once and kept until its requirements change.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The minimum that cvat-sdk 2.80.0 declares. */
const NEEDED = [3, 11];
const CANDIDATES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

/**
 * Makes sure the clients are installed under `node_modules/.cache/clients-venv`, those of CVAT 2.42 next to the newest ones.
 *
 * @param {string} folder where `requirements.txt` is
 * @returns {string} the environment's python
 * @throws {Error} one sentence when there is no fitting python or the installation fails
 */
export function ensureClients(folder) {
  const installed = installedClients(folder);
  if (installed !== undefined) return installed;
  const { requirements, oldRequirements, environment, python, stamp, wanted } = environmentOf(folder);
  const base = findPython();
  console.log(`Installing the official clients with ${base} (once).`);
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(dirname(environment), { recursive: true });
  run(
    base,
    ['-m', 'venv', environment],
    'The virtual environment could not be made (on Debian: apt-get install python3-venv).',
  );
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement'];
  run(python, [...install, requirements], 'The official clients could not be installed.');
  run(
    python,
    [...install, oldRequirements, '--no-deps', '--target', oldClients(folder)],
    'The clients of CVAT 2.42 could not be installed.',
  );
  writeFileSync(stamp, wanted); // last, so that an incomplete environment has no stamp and is created again
  return python;
}

/**
 * @param {string} folder where `requirements.txt` is
 * @returns {string} the directory of the clients of CVAT 2.42, for PYTHONPATH. They use the libraries of the environment.
 */
export function oldClients(folder) {
  return join(environmentOf(folder).environment, 'clients-2.42');
}

/**
 * @param {string} folder where `requirements.txt` is
 * @returns {string | undefined} the python of the environment; undefined if the clients are not installed
 */
export function installedClients(folder) {
  const { python, stamp, wanted } = environmentOf(folder);
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && versionOf(python) !== null;
  return isInstalled ? python : undefined;
}

function environmentOf(folder) {
  const requirements = join(folder, 'requirements.txt');
  const oldRequirements = join(folder, 'requirements-2.42.txt');
  const hash = createHash('sha256').update(readFileSync(requirements)).update(readFileSync(oldRequirements));
  const environment = join(folder, '..', '..', 'node_modules', '.cache', 'clients-venv');
  return {
    requirements,
    oldRequirements,
    environment,
    python: join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python'),
    stamp: join(environment, 'requirements.sha256'),
    wanted: hash.digest('hex'),
  };
}

function findPython() {
  const found = [process.env.PYTHON ?? [], CANDIDATES].flat().find((name) => {
    const version = versionOf(name);
    return version !== null && (version[0] > NEEDED[0] || (version[0] === NEEDED[0] && version[1] >= NEEDED[1]));
  });
  if (found) return found;
  throw new Error(
    `The client tests need Python ${NEEDED.join('.')} or newer, and none was found (tried ${CANDIDATES.join(', ')}). ` +
      'Install it, or name it in the variable PYTHON.',
  );
}

/** @returns {[number, number] | null} major and minor version; null if the command does not run */
function versionOf(command) {
  const answer = spawnSync(command, ['-c', 'import sys; print(*sys.version_info[:2])'], { encoding: 'utf8' });
  if (answer.status !== 0) return null;
  const [major, minor] = answer.stdout.trim().split(' ').map(Number);
  return [major, minor];
}

function run(command, args, sentence) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(sentence);
}
