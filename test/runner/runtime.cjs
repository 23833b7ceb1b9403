const asyncHooks = require('node:async_hooks');
const { existsSync, readFileSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const { compiledPath } = require('./compiled-path.cjs');

const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS'); // where jest-circus keeps its event handlers
const { AsyncLocalStorage } = asyncHooks;
const circusStorage = new AsyncLocalStorage();

/** Source maps of the TypeScript files, as cached by `typescript-hooks.js`. */
class CachedSourceMaps extends Map {
  get(source) {
    return source.endsWith('.ts') && existsSync(source) ? `${compiledPath(readFileSync(source))}.map` : undefined;
  }
}

/** Loads tests with Node's own module system, which keeps imported modules for the worker's next test file. */
module.exports = class NodeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
  }

  /** Loads a fresh jest-circus for each test file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[EVENT_HANDLERS];
    // Each jest-circus would create an AsyncLocalStorage that is never disposed, and each slows down every promise.
    asyncHooks.AsyncLocalStorage = function () {
      return circusStorage;
    };
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  clearAllMocks() {
    this.environment.moduleMocker.clearAllMocks();
  }

  resetAllMocks() {
    this.environment.moduleMocker.resetAllMocks();
  }

  restoreAllMocks() {
    this.environment.moduleMocker.restoreAllMocks();
  }

  getAllCoverageInfoCopy() {
    return {};
  }

  getSourceMaps() {
    return new CachedSourceMaps();
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  resetModules() {}
  teardown() {}
};
