/** An image: its stored file and its size. */
export interface PreviewImage {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** The width in pixels. `height` is in pixels too. */
  readonly width: number;
  readonly height: number;
}
