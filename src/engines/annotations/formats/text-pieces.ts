import { type FileLocation, refuse } from './format.js';
import { type Decode, headBytes, openDecoder } from './text-encoding.js';

/** Length of a piece of text that is worth a call, in characters. */
export const PIECE = 64 * 1024;

/** Joins small texts into pieces of at least {@link PIECE} characters. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * Decodes a text: UTF-8, or what its byte order mark says.
 * @throws FormatError if the bytes are not of the encoding
 */
export const decodeText = (bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> =>
  decoded(bytes, file, false);

/** As {@link decodeText}, in the encoding that the XML declares. */
export const decodeXml = (bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> =>
  decoded(bytes, file, true);

async function* decoded(bytes: AsyncIterable<Uint8Array>, file: string, isXml: boolean): AsyncGenerator<string> {
  let head: Uint8Array = new Uint8Array(0);
  let decode: Decode | undefined;
  for await (const chunk of bytes) {
    if (decode !== undefined) {
      yield decode(chunk);
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < headBytes(isXml)) continue;
    decode = openDecoder(head, file, isXml);
    yield decode(head);
  }
  if (decode === undefined) {
    decode = openDecoder(head, file, isXml);
    yield decode(head);
  }
  yield decode();
}

/**
 * Reads all text of a small file.
 * @throws FormatError if it cannot be decoded or is longer than `limit` characters
 */
export async function readSmallText(bytes: AsyncIterable<Uint8Array>, file: string, limit: number): Promise<string> {
  let text = '';
  for await (const piece of decodeText(bytes, file)) {
    text += piece;
    if (text.length > limit) refuse(file, `the file is longer than ${limit} characters`);
  }
  return text;
}

/** A line of a text. */
export interface TextLine {
  /** Without the spaces around it. */
  readonly text: string;
  /** With them, because names can begin or end with spaces. */
  readonly line: string;
  readonly location: FileLocation;
}

/** In characters. */
const MAX_LINE = 2 ** 20;

/**
 * Reads the lines of a text that are not blank.
 * @param longest length of a line, in characters
 * @throws FormatError if the text cannot be decoded or a line is too long
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  longest = MAX_LINE,
): AsyncGenerator<TextLine> {
  let number = 0;
  let rest = '';
  const lineOf = (line: string): TextLine => ({
    text: line.trim(),
    line: line.replace(/\r$/, ''),
    location: `${file}, line ${++number}`,
  });
  for await (const piece of decodeText(bytes, file)) {
    const texts = (rest + piece).split('\n');
    rest = texts.pop() ?? '';
    if (rest.length > longest) refuse(`${file}, line ${number + 1}`, `the line is longer than ${longest} characters`);
    for (const text of texts.map(lineOf)) if (text.text !== '') yield text;
  }
  const last = lineOf(rest);
  if (last.text !== '') yield last;
}
