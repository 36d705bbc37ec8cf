import { shownFiles, shownPass } from './string-tables.js';
import { fieldsOf, type PassField, type PhoneSystem, shownStyle } from './virtual-iphone/field-rules.js';
import type { PassJson } from './virtual-iphone/pass-json-rules.js';

/** The part of a pass that the owner of a phone sees. */
export interface PassOnScreen {
  /** The style in which the phone draws the pass. It is the poster style if the phone can draw posters. */
  readonly style: string;
  readonly front: readonly PassField[];
  readonly back: readonly PassField[];
  /** The images by name, such as `logo` and `strip`, in the phone's language and the largest scale. */
  readonly images: ReadonlyMap<string, Buffer>;
  /** The artwork of a poster; undefined for other styles. */
  readonly artwork: Buffer | undefined;
  /** The first barcode that the phone can draw; null if there is none. */
  readonly barcode: { readonly format: string; readonly message: string } | null;
  /** The actions, each with a web address or the identifier of a place in Apple Maps. */
  readonly actions: readonly { readonly type: string; readonly url?: string; readonly placeIdentifier?: string }[];
}

const drawnByAll = ['PKBarcodeFormatQR', 'PKBarcodeFormatPDF417', 'PKBarcodeFormatAztec', 'PKBarcodeFormatCode128'];
const drawn: Readonly<Record<PhoneSystem, readonly string[]>> = {
  ios27: [...drawnByAll, ...['Code39', 'Codabar', 'EAN13', 'I2of5'].map((name) => `PKBarcodeFormat${name}`)],
  ios26: drawnByAll,
};

/**
 * Returns the part of a verified pass that a phone shows.
 * @param languages the phone's languages as canonical tags, the preferred one first
 */
export function screenOf(
  pass: { readonly json: PassJson; readonly files: ReadonlyMap<string, Buffer> },
  languages: readonly string[],
  system: PhoneSystem,
): PassOnScreen {
  const json = shownPass(pass, languages);
  const style = shownStyle(json, system);
  const { barcodes = [], featuredActions = [] } = json as {
    barcodes?: { format: string; message: string }[];
    featuredActions?: PassOnScreen['actions'];
  };
  const isPoster = style === 'posterGeneric';
  const images = imagesOf(shownFiles(pass.files, languages));
  return {
    style,
    ...fieldsOf(json, style),
    images,
    artwork: isPoster ? images.get('artwork') : undefined,
    barcode: barcodes.find(({ format }) => drawn[system].includes(format)) ?? null,
    actions: system === 'ios27' ? featuredActions : [],
  };
}

/** Returns the images by name, each in its largest scale. */
function imagesOf(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const images = new Map<string, Buffer>();
  for (const scale of ['', '@2x', '@3x']) {
    for (const [path, bytes] of files) {
      const [, name] = /^([^/@]+)(?:@[23]x)?\.png$/.exec(path) ?? [];
      if (name !== undefined && path === `${name}${scale}.png`) images.set(name, bytes);
    }
  }
  return images;
}
