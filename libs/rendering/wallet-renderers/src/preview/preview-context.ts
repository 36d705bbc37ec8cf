import { isWide, shownFormat } from '../code-format.js';
import type { CodeFormat, RenderPass, RenderTemplate } from '../model.js';
import type { PassState } from '../pass-state.js';
import type { Reading } from '../web/languages.js';
import type { PreviewImage } from './preview-image.js';

export const previewWallets = ['apple', 'google', 'web'] as const;
export type PreviewWallet = (typeof previewWallets)[number];
export const previewThemes = ['light', 'dark'] as const;
export type PreviewTheme = (typeof previewThemes)[number];

/** The images of one wallet, in its sizes; what is left out, it does not have. */
export type PreviewImages = Partial<
  Record<'icon' | 'logo' | 'banner' | 'background' | 'thumbnail', PreviewImage | undefined>
>;

/** What a picture shows, and how. */
export interface PreviewContext {
  readonly wallet: PreviewWallet;
  /** What surrounds the pass; its own colours are its template's in both. */
  readonly theme: PreviewTheme;
  readonly images: PreviewImages;
  /** The instant at which the pass's state is shown. */
  readonly now: Date;
  /** For what the wallet itself writes, such as dates: one of `webLanguages`; English for all others. */
  readonly language?: string;
}

/** What the drawing of a wallet gets. */
export interface Scene extends PreviewContext {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
  readonly state: PassState;
  readonly reading: Reading;
  /** As of the pass's page. A phone shows an event in its holder's zone, who is mostly there. */
  readonly zone: string;
}

/**
 * The barcode of a pass and the room it takes, in points: a square, or a wide rectangle.
 * @param side of the square
 */
export function codeOf({ template, pass }: Scene, side: number, wide: Size): Size & { readonly format: CodeFormat } {
  const format = shownFormat(template, pass.code);
  return { format, ...(isWide(format) ? wide : { width: side, height: side }) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How wide every picture is, in points: about a phone. */
export const screenWidth = 415;

/** Whether a holder can use it no more. */
export function hasEnded(state: PassState): boolean {
  return state === 'voided' || state === 'expired' || state === 'redeemed';
}

/** A date as phones write it, without the spaces that fonts lack. */
export function writtenDate(date: Date, { reading, zone }: Pick<Scene, 'reading' | 'zone'>): string {
  const format = new Intl.DateTimeFormat(reading.locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  return format.format(date);
}
