/** The purposes of a template's images, as named in the API. */
export const imagePurposes = ['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork'] as const;
export type ImagePurpose = (typeof imagePurposes)[number];

/** A purpose for which sizes are generated. `primaryLogo` is the logo of a template with artwork, in its poster. */
export type PreparedPurpose = ImagePurpose | 'primaryLogo';

/** A generated size of an image in storage. */
export interface PreparedFile {
  readonly wallet: 'apple' | 'google' | 'web';
  /**
   * The name of the file for the wallet: the file name in an Apple package, such as `icon@2x.png`, or the file's role,
   * such as `logo.png`.
   */
  readonly name: string;
  /**
   * The key of the file in blob storage, `images/<accountId>/<sha256>.<extension>`. Its address is `{baseUrl}/<key>`.
   */
  readonly key: string;
  /** Width in pixels. */
  readonly width: number;
  readonly height: number;
  readonly sizeBytes: number;
}

/**
 * An image of a caller with its generated sizes. They are generated when the image is saved, so that showing a pass
 * fetches and resizes nothing.
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
   * The value of `imageVariantsVersion` that generated `files`. If it has changed since, the next save generates the
   * files again.
   */
  readonly recipe: number;
  readonly files: readonly PreparedFile[];
}

/** A template's images; `thumbnail` only for generic templates, `artwork` and `primaryLogo` not for event templates. */
export type PreparedImages = Partial<Record<PreparedPurpose, PreparedImage>>;

/** The images of a template in other languages, by BCP 47 tag. */
export type LocalisedImages = Readonly<Record<string, PreparedImages>>;
