// What a test imports from `@jest/globals`. Jest sets new ones for every test file, and this module is loaded once for
// all of them: each name stands for the one of the file that is running.
const current = (name) =>
  new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(globalThis[name], self, args),
    get: (_, key) => globalThis[name][key],
  });

export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const describe = current('describe');
export const expect = current('expect');
export const it = current('it');
export const jest = current('jest');
export const test = current('test');
