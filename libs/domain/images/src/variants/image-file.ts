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

/** How an image is fitted to a size: crop the surplus, add transparency around it, or shrink it until it fits. */
export type Fit = 'cover' | 'contain' | 'within';
