const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const compiler = require('@swc/core/package.json');

const root = join(__dirname, '../..');
const settings = readFileSync(join(root, '.swcrc'));

/** Path of the compiled form of a TypeScript source. Its source map has the same path with `.map` appended. */
exports.compiledPath = (source) => {
  const hash = createHash('sha1').update(compiler.version).update(settings).update(source).digest('hex');
  return join(root, 'node_modules/.cache/cairn-compiled', hash.slice(0, 2), `${hash}.js`);
};
