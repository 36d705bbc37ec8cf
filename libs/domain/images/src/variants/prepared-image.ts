/** What an image of a template is for, in the words of the interface. */
export const imagePurposes = ['icon', 'logo', 'banner', 'background', 'thumbnail'] as const;
export type ImagePurpose = (typeof imagePurposes)[number];

/** One finished size of an image, in storage. */
export interface PreparedFile {
  readonly wallet: 'apple' | 'google' | 'web';
  /** Its name for that wallet: in an Apple package `icon@2x.png`, `strip.png`; else its role, `logo.png`. */
  readonly name: string;
  /** Its key in blob storage, `images/<accountId>/<sha256>.<extension>`; `{baseUrl}/<key>` is its address. */
  readonly key: string;
  /** In pixels, as is the height. */
  readonly width: number;
  readonly height: number;
  readonly sizeBytes: number;
}

/** An image as a caller named it, with the sizes made from it when it was saved. Showing a pass fetches and resizes nothing. */
export interface PreparedImage {
  /** As the caller sent it. */
  readonly url: string;
  /** SHA-256 of the bytes the sizes were made from, lower-case hex. */
  readonly source: string;
  /** Of the source in pixels, 2048 a side at most: larger ones are made smaller first. Unknown for those saved long ago. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Version of the sizes: with another recipe they are made anew at the next save. */
  readonly recipe: number;
  readonly files: readonly PreparedFile[];
}

/** A template's images; `thumbnail` for generic templates only. */
export type PreparedImages = Partial<Record<ImagePurpose, PreparedImage>>;
