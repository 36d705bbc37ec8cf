/** The purposes of a template's images, in the words of the interface. */
export const imagePurposes = ['icon', 'logo', 'banner', 'background', 'thumbnail'] as const;
export type ImagePurpose = (typeof imagePurposes)[number];

/** One finished size of an image, in storage. */
export interface PreparedFile {
  readonly wallet: 'apple' | 'google' | 'web';
  /** Its name for that wallet: in an Apple package `icon@2x.png`, `strip.png`; else its role, `logo.png`. */
  readonly name: string;
  /** Its key in blob storage, `images/<accountId>/<sha256>.<extension>`; `{baseUrl}/<key>` is its address. */
  readonly key: string;
  /** Width in pixels; so is the height. */
  readonly width: number;
  readonly height: number;
  readonly sizeBytes: number;
}

/** An image that a caller named, with the sizes made when it was saved. Showing a pass fetches and resizes nothing. */
export interface PreparedImage {
  /** The address that the caller sent. */
  readonly url: string;
  /** SHA-256 of the bytes the sizes were made from, lower-case hex. */
  readonly source: string;
  /** The size of the source in pixels, at most 2048 a side: larger ones are shrunk first. Unknown for images saved long ago. */
  readonly size?: { readonly width: number; readonly height: number };
  /** The version of the sizes (`imageVariantsVersion`). Sizes of another version are made anew at the next save. */
  readonly recipe: number;
  readonly files: readonly PreparedFile[];
}

/** A template's images; `thumbnail` for generic templates only. */
export type PreparedImages = Partial<Record<ImagePurpose, PreparedImage>>;
