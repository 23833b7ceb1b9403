const asyncHooks = require('node:async_hooks');
const { existsSync, readFileSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const { compiledPath } = require('./compiled-path.cjs');

const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS'); // where jest-circus keeps those of its state
const { AsyncLocalStorage } = asyncHooks;
const circusStorage = new AsyncLocalStorage();

/** Source maps of the TypeScript files, as `typescript-hooks.js` keeps them. */
class CachedSourceMaps extends Map {
  get(source) {
    return source.endsWith('.ts') && existsSync(source) ? `${compiledPath(readFileSync(source))}.map` : undefined;
  }
}

/** Loads tests with Node's own module system, which keeps what they import for the next test file of the worker. */
module.exports = class NodeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
  }

  /** A fresh jest-circus for each test file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[EVENT_HANDLERS];
    // Each jest-circus would add an AsyncLocalStorage that nothing ends, and each of them slows down every promise.
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
