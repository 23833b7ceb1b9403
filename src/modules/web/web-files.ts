import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Where the build puts the app; the same from `src` and from `dist`. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'web', 'dist');
const NONCE = /%CSP_NONCE%/g;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

type Encoding = 'br' | 'gzip' | 'identity';

/** A file in the form that the client takes. */
export interface WebAsset {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: Encoding;
}

/** The built app, read into memory once: it is small, and every request of it is answered without the disk. */
export class WebFiles {
  private constructor(
    private readonly page: string,
    private readonly assets: ReadonlyMap<string, Buffer>,
  ) {}

  /** @returns null when the app has not been built */
  static async read(folder = FOLDER): Promise<WebFiles | null> {
    if (!existsSync(join(folder, 'index.html'))) return null;
    const names = await readdir(join(folder, 'assets'));
    const assets = await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, 'assets', name))] as const),
    );
    return new WebFiles(await readFile(join(folder, 'index.html'), 'utf8'), new Map(assets));
  }

  /**
   * The page with a nonce of its own, for the styles that its components add.
   * @returns the page and the policy that goes with it
   */
  index(): { readonly html: string; readonly policy: string } {
    const nonce = randomBytes(18).toString('base64');
    return { html: this.page.replace(NONCE, nonce), policy: contentPolicy(nonce) };
  }

  /** @param accepts encodings that the client takes, the best first */
  asset(name: string, accepts: readonly string[]): WebAsset | undefined {
    const plain = this.assets.get(name);
    const type = TYPES[extname(name)];
    if (plain === undefined || type === undefined) return undefined;
    const brotli = accepts.includes('br') ? this.assets.get(`${name}.br`) : undefined;
    if (brotli !== undefined) return { content: brotli, type, encoding: 'br' };
    const gzip = accepts.includes('gzip') ? this.assets.get(`${name}.gz`) : undefined;
    if (gzip !== undefined) return { content: gzip, type, encoding: 'gzip' };
    return { content: plain, type, encoding: 'identity' };
  }
}

/** Everything comes from this server; no inline script runs, and no style but with the nonce. */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
