import { mergedActions } from '../actions.js';
import { drawnFromIos27 } from '../apple/pass-json.js';
import { googleFormat, isWide, shownFormat } from '../code-format.js';
import type { CodeFormat, RenderPass, RenderTemplate } from '../model.js';
import type { PassState } from '../pass-state.js';
import type { Reading } from '../web/languages.js';
import type { PreviewImage } from './preview-image.js';

export const previewWallets = ['apple', 'google', 'web'] as const;
export type PreviewWallet = (typeof previewWallets)[number];
export const previewThemes = ['light', 'dark'] as const;
export type PreviewTheme = (typeof previewThemes)[number];
/**
 * The systems that preview pictures distinguish, the current one first. Artwork, actions and newer barcode formats look
 * different on each.
 */
export const previewSystems = ['ios27', 'ios26'] as const;
export type PreviewSystem = (typeof previewSystems)[number];

/** The names of the systems, as the preview page shows them. */
export const systemNames: Readonly<Record<PreviewSystem, string>> = { ios27: 'iOS 27', ios26: 'iOS 26 and earlier' };

/** The images that a wallet shows, in the sizes of this wallet. Omitted images are not drawn. */
export type PreviewImages = Partial<
  Record<'icon' | 'logo' | 'banner' | 'background' | 'thumbnail' | 'artwork' | 'primaryLogo', PreviewImage | undefined>
>;

/**
 * A pass that the wallet shows together with the drawn pass: another pass of its group, or a pass to which it links.
 */
export interface PreviewRelated {
  readonly title: string;
  readonly issuerName: string;
  /** A text that distinguishes this pass from other passes of its template. May be empty. */
  readonly detail: string;
  readonly backgroundColor: string;
  /** True if this pass is in the group of the drawn pass. */
  readonly isInGroup: boolean;
}

/** The content and options of a picture. */
export interface PreviewContext {
  readonly wallet: PreviewWallet;
  /** The theme around the pass. The pass itself has the same colours in both themes. */
  readonly theme: PreviewTheme;
  readonly images: PreviewImages;
  /** The system of the phone that shows Apple Wallet. `ios26` also stands for earlier systems. Default: `ios27`. */
  readonly system?: PreviewSystem;
  /** The current time. The picture shows the state of the pass at this time. */
  readonly now: Date;
  /**
   * The language of dates and other texts of the wallet, and of a translated pass. Unsupported languages become
   * English.
   */
  readonly language?: string;
  /** The default language, as a BCP 47 tag, for templates that do not name a language. Default: `en`. */
  readonly ownLanguage?: string;
  /** The related passes, in the order in which they are shown. Default: none. */
  readonly related?: readonly PreviewRelated[];
}

/** The input of a wallet's drawing. */
export interface Scene extends PreviewContext {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
  readonly state: PassState;
  readonly reading: Reading;
  /** The time zone of the dates on the pass's page. Phones also use it for an event whose place has a known zone. */
  readonly zone: string;
}

/**
 * Returns the barcode of a pass and its size in points: a square, or a wide rectangle.
 * @param side the width and height of the square
 */
export function codeOf(scene: Scene, side: number, wide: Size): Size & { readonly format: CodeFormat } {
  const format = formatOn(scene);
  return { format, ...(isWide(format) ? wide : { width: side, height: side }) };
}

/**
 * Returns the format that the wallet draws. Before iOS 27, iPhones draw the QR code that packages contain beside newer
 * formats.
 */
function formatOn(scene: Scene): CodeFormat {
  const { template, pass, wallet } = scene;
  if (wallet === 'google') return googleFormat(template, pass.code);
  const format = shownFormat(template, pass.code);
  return wallet === 'apple' && isOldSystem(scene) && drawnFromIos27.includes(format) ? 'qr' : format;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The width of every picture in points. It is similar to that of a phone. */
export const screenWidth = 415;

/** Returns true for a system without the poster style, actions and the newer barcode formats. */
export function isOldSystem({ system }: Pick<PreviewContext, 'system'>): boolean {
  return system === 'ios26';
}

/** Returns true if Apple Wallet shows a pass differently on older systems. */
export function differsBySystem({
  template,
  pass,
  hasArtwork,
}: Pick<Scene, 'template' | 'pass'> & { readonly hasArtwork: boolean }): boolean {
  const isNewBarcode = drawnFromIos27.includes(shownFormat(template, pass.code));
  return hasArtwork || isNewBarcode || mergedActions(template, pass).length > 0;
}

/** Returns true when the holder can no longer use the pass. */
export function hasEnded(state: PassState): boolean {
  return state === 'voided' || state === 'expired' || state === 'redeemed';
}

/** Formats a date as phones do, without spaces that fonts lack. */
export function writtenDate(
  date: Date,
  { reading, zone }: Pick<Scene, 'reading' | 'zone'>,
  form: 'time' | 'day',
): string {
  const timeStyle = form === 'time' ? 'short' : undefined;
  const format = new Intl.DateTimeFormat(reading.locale, { dateStyle: 'medium', timeStyle, timeZone: zone });
  return format.format(date);
}
