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
  for await (const lines of linesIn(bytes, file, longest)) {
    for (const line of lines) {
      number++;
      const text = line.trim();
      if (text !== '') yield { text, line, location: `${file}, line ${number}` };
    }
  }
}

/**
 * Reads all lines of a text, blank ones included, piece by piece.
 * @param longest length of a line, in characters
 * @throws FormatError if the text cannot be decoded or a line is too long
 */
export async function* linesIn(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  longest = MAX_LINE,
): AsyncGenerator<string[]> {
  let number = 0;
  // The parts of the last line are joined once, or a long line would be searched again with each piece.
  let parts: string[] = [];
  let length = 0;
  for await (const piece of decodeText(bytes, file)) {
    const lines = piece.split('\n');
    const last = lines.pop() ?? '';
    if (lines.length > 0) {
      parts.push(lines[0] ?? '');
      lines[0] = parts.join('');
      [parts, length] = [[], 0];
      yield lines.map(withoutReturn);
    }
    number += lines.length;
    parts.push(last);
    length += last.length;
    if (length > longest) refuse(`${file}, line ${number + 1}`, `the line is longer than ${longest} characters`);
  }
  yield [withoutReturn(parts.join(''))];
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
