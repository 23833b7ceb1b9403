import { type FileLocation, refuse } from './format.js';

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

/** @throws FormatError if the bytes are not UTF-8 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      return refuse(file, 'the text is not UTF-8', error);
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}

/**
 * Reads all text of a small file.
 * @throws FormatError if it is not UTF-8 or longer than `limit` characters
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
 * @throws FormatError if the bytes are not UTF-8 or a line is too long
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
