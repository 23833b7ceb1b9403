// The app in the browser: `npm run dev:web` for development, `npm run build` for what the server serves.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const client = join(import.meta.dirname, '..', 'clients', 'typescript', 'src');
/** The server that `npm run dev:web` uses: CAIRN_URL, or the default URL of `npm start`. */
const server = process.env.CAIRN_URL ?? 'http://127.0.0.1:8080';
const AHEAD =
  /\/src\/main\.ts$|\/src\/app\/(ahead|color-scheme|current-organization|pages)\.ts$|\/typescript\/src\/accept\.ts$|\/job\/frames\/(ahead|frame-set|media-path)\.ts$|vite\/preload-helper/;
const OPENING =
  /\/job\/(opening|point-cloud\/point-cloud|frames\/(opening|frame-loader|look-ahead|weighted-cache|chunk|job-source)|canvas\/(early-frame|frame-image|viewport))\.ts$|\/fflate\//;
const WORTH_COMPRESSING_BYTES = 1024;

export default defineConfig({
  root: import.meta.dirname,
  clearScreen: false,
  resolve: { alias: { 'cairn-client/accept': join(client, 'accept.ts'), 'cairn-client': join(client, 'index.ts') } },
  build: {
    outDir: 'dist',
    target: 'es2022',
    cssTarget: 'chrome111',
    assetsInlineLimit: 0, // no data: URLs, so the content security policy needs no exception
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // libraries contain "use client" directives for frameworks that render on servers
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
      output: {
        codeSplitting: {
          // Modules that many pages share are in one file instead of fifty. A smaller number means fewer files and a larger first one.
          groups: [
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler|react-router|@tanstack|openapi-fetch)\//,
              priority: 2,
            },
            { name: 'common', minShareCount: 23, priority: 1 },
            // The layout around pages is one file. Pages may load before it and would otherwise split it.
            { name: 'frame', test: /\/src\/app\//, priority: 0 },
            // These run first and must not depend on the other groups.
            { name: 'ahead', test: AHEAD, priority: 3 },
            { name: 'opening', test: OPENING, priority: 3 },
          ],
        },
      },
    },
  },
  server: {
    // The Host header is kept, so that the server accepts the requests as same-origin.
    proxy: { '^/(api|static|inspect)/': { target: server, changeOrigin: false } },
  },
  plugins: [mantineStyles(), startAhead(), compressed()],
});

/**
 * Puts the styles of each Mantine component into the chunk of the component, instead of all styles into the
 * first chunk. They are in their own layer, so that the app's rules take precedence in any loading order.
 */
function mantineStyles() {
  const all = '@mantine/core/styles.layer.css';
  const ground = '\0mantine-ground';
  return {
    name: 'cairn-mantine-styles',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) => (id === all ? ground : null),
    load: (id) =>
      id === ground
        ? ['default-css-variables', 'baseline', 'global']
            .map((name) => `import '@mantine/core/styles/${name}.layer.css';`)
            .join('\n')
        : null,
    transform(code, id) {
      const name = /\/@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id)?.[1];
      return name === undefined
        ? null
        : { code: `import '@mantine/core/styles/${name}.layer.css';\n${code}`, map: null };
    },
  };
}

/**
 * Preloads the app with its page. Otherwise it would only be requested when the first script runs. It is not compiled
 * yet ("modulepreload" would do so), because the first script has priority.
 */
function startAhead() {
  const early = { rel: 'preload', as: 'script', crossorigin: true, fetchpriority: 'low' };
  const linkTo = (attrs) => ({ tag: 'link', attrs, injectTo: 'head' });
  return {
    name: 'cairn-start-ahead',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const start = Object.values(bundle).find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/start.tsx'));
        const names = [...withImports(start.fileName, bundle)];
        const styles = new Set(names.flatMap((name) => [...bundle[name].viteMetadata.importedCss]));
        return [
          ...names.filter((name) => !html.includes(name)).map((name) => linkTo({ ...early, href: `/${name}` })),
          ...[...styles].map((name) => linkTo({ rel: 'stylesheet', href: `/${name}` })),
        ];
      },
    },
  };
}

/** @returns names of a file of the build and of all that it imports, each after what it needs itself, so that its styles win */
function withImports(name, bundle, names = new Set()) {
  if (names.has(name)) return names;
  names.add(name); // whoever imports it in a circle finds it here
  for (const needed of bundle[name].imports) withImports(needed, bundle, names);
  names.delete(name);
  return names.add(name);
}

/** Writes each file of the build once more with Brotli and gzip, so that the server only has to choose. */
function compressed() {
  return {
    name: 'cairn-compressed',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      await Promise.all(
        Object.keys(bundle).map(async (name) => {
          const path = join(dir, name);
          const content = await readFile(path);
          if (content.length < WORTH_COMPRESSING_BYTES || !/\.(js|css|svg)$/.test(name)) return;
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
          await writeFile(`${path}.br`, brotliCompressSync(content, quality));
          await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
        }),
      );
    },
  };
}
