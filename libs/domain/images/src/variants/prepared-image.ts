/** The purposes of a template's images, as named in the API. */
export const imagePurposes = ['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork'] as const;
export type ImagePurpose = (typeof imagePurposes)[number];

/** A purpose for which sizes are generated. `primaryLogo` is the logo of a template with artwork, in its poster. */
export type PreparedPurpose = ImagePurpose | 'primaryLogo';

/** A generated size of an image in storage. */
export interface PreparedFile {
  readonly wallet: 'apple' | 'google' | 'web';
  /**
   * The name of the file for the wallet: in an Apple package `icon@2x.png` or `strip.png`, for example; otherwise its
   * role, such as `logo.png`.
   */
  readonly name: string;
  /** Its key in blob storage, `images/<accountId>/<sha256>.<extension>`; `{baseUrl}/<key>` is its address. */
  readonly key: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
  readonly sizeBytes: number;
}

/**
 * An image of a caller with the sizes that were generated when it was saved, so that showing a pass fetches and resizes
 * nothing.
 */
export interface PreparedImage {
  /** The address that the caller sent. */
  readonly url: string;
  /** SHA-256 of the bytes from which the sizes were generated, lower-case hex. */
  readonly source: string;
  /**
   * The size of the source in pixels, at most 2048 per side, because larger ones are shrunk first. Unknown for images
   * saved by old versions.
   */
  readonly size?: { readonly width: number; readonly height: number };
  /**
   * The version of the sizes (`imageVariantsVersion`). Sizes of another version are generated again at the next save.
   */
  readonly recipe: number;
  readonly files: readonly PreparedFile[];
}

/** A template's images; `thumbnail` only for generic templates, `artwork` and `primaryLogo` not for event templates. */
export type PreparedImages = Partial<Record<PreparedPurpose, PreparedImage>>;

/** The images of a template in other languages, by BCP 47 tag. */
export type LocalisedImages = Readonly<Record<string, PreparedImages>>;
