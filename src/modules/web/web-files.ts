import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { PlainError } from '../../core/http/errors/errors.js';

/** The output of the build; the same path from `src` and `dist`. */
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

/** A file in an encoding that the client accepts. */
export interface WebAsset {
  readonly content: Buffer;
  readonly type: string;
  readonly encoding: Encoding;
}

/** The files of the built app, which are read into memory once. */
export class WebFiles {
  private constructor(
    private readonly page: string,
    private readonly assets: ReadonlyMap<string, Buffer>,
  ) {}

  /** @returns null if the app is not built */
  static async read(folder = FOLDER): Promise<WebFiles | null> {
    if (!existsSync(join(folder, 'index.html'))) return null;
    const names = await readdir(join(folder, 'assets'));
    const assets = await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, 'assets', name))] as const),
    );
    return new WebFiles(await readFile(join(folder, 'index.html'), 'utf8'), new Map(assets));
  }

  /**
   * The page with a new nonce, for the styles that its components add.
   * @returns the page and its Content-Security-Policy
   */
  index(): { readonly html: string; readonly policy: string } {
    const nonce = randomBytes(18).toString('base64');
    return { html: this.page.replace(NONCE, nonce), policy: contentPolicy(nonce) };
  }

  /** @param accepts encodings that the client accepts, the preferred ones first */
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

/** Forbids other hosts, inline scripts, and styles without the nonce. */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    // Without WebCodecs, a <video> element decodes chunks that are loaded already.
    'media-src blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const NOT_BUILT = 'The web app is not built. Run "npm run build" and restart the server.';

/** The web app. Browsers do not cache its page. */
@Injectable()
export class WebApp {
  private read: Promise<WebFiles | null> | undefined;

  /** @throws PlainError 503 before the build */
  async files(): Promise<WebFiles> {
    this.read ??= WebFiles.read();
    const files = await this.read;
    if (files !== null) return files;
    this.read = undefined; // it may be built while the server runs
    throw new PlainError(503, NOT_BUILT);
  }

  /** @throws PlainError 503 before the build */
  async sendPage(response: Response, status = 200): Promise<void> {
    const { html, policy } = (await this.files()).index();
    response.statusCode = status;
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-cache');
    response.end(html);
  }
}
