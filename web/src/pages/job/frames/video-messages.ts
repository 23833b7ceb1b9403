export type VideoMessage =
  | { readonly kind: 'open'; readonly chunk: number; readonly file: ArrayBuffer }
  | { readonly kind: 'decode'; readonly chunk: number; readonly at: number; readonly ticket: number }
  | { readonly kind: 'close'; readonly chunk: number };

/** The response to `decode` with the same ticket. */
export type DecodedMessage =
  { readonly ticket: number; readonly bitmap: ImageBitmap } | { readonly ticket: number; readonly error: string };
