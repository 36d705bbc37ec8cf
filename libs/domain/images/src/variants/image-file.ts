/** An encoded image. */
export interface ImageFile {
  readonly bytes: Uint8Array;
  readonly extension: ImageExtension;
  readonly width: number;
  readonly height: number;
}

/** The formats that are stored, by file extension. */
export const imageTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export type ImageExtension = keyof typeof imageTypes;

/** How a picture is brought to a size: its surplus cut off, transparency added around it, or as large as fits without enlarging. */
export type Fit = 'cover' | 'contain' | 'within';
