import type { RenderPass } from '../model.js';
import { type Reading, readingFor, wantedLanguages } from './languages.js';

/** The device of a reader, which determines the first wallet. iPads that identify as Macs count as Macs. */
export type Device = 'iphone' | 'mac' | 'android' | 'desktop';

/** The properties of a reader that matter to a page. */
export interface Reader extends Reading {
  readonly device: Device;
  /** True if the page is open inside another app. Such browsers often cannot add passes. */
  readonly inApp: boolean;
  /** The languages that the reader asks for, best first, as tags. Used for translated passes. */
  readonly languages?: readonly string[];
}

/** The parts of a request that say something about its reader. */
export interface ReaderHints {
  /** The `?lang=` parameter. */
  readonly lang?: string;
  readonly acceptLanguage?: string;
  readonly userAgent?: string;
}

export function readerOf({ lang, acceptLanguage, userAgent = '' }: ReaderHints): Reader {
  const device = deviceOf(userAgent);
  const languages = wantedLanguages(lang, acceptLanguage);
  return { device, inApp: isInApp(userAgent, device), languages, ...readingFor(lang, acceptLanguage) };
}

/** Returns the languages in which to show a pass: those that the reader asks for, then the holder's language. */
export function wantedFrom({ languages = [] }: Reader, { language }: Pick<RenderPass, 'language'>): string[] {
  return [...languages, ...(language ? [language] : [])];
}

function deviceOf(userAgent: string): Device {
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return 'iphone';
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  return /\bMacintosh\b/.test(userAgent) ? 'mac' : 'desktop';
}

/**
 * Matches the names that apps add to the `User-Agent` header: Facebook, Messenger, Instagram, TikTok, LINE, WeChat,
 * LinkedIn, Snapchat, Pinterest, X, Google, Teams …
 */
const apps =
  /\bFB(?:AN|AV|_IAB)\b|Instagram|BytedanceWebview|musical_ly|TikTok|trill_|\bLine\/|MicroMessenger|LinkedInApp|Snapchat|Pinterest|Twitter|\bGSA\/|KAKAOTALK|Telegram|Viber|WhatsApp\/|\bGMail\b/i;

function isInApp(userAgent: string, device: Device): boolean {
  if (device !== 'iphone' && device !== 'android') return false;
  if (apps.test(userAgent)) return true;
  // Other apps do not add a name. On an iPhone their browser omits Safari's name; on Android it adds "wv" (WebView).
  return device === 'iphone' ? !/\bSafari\//.test(userAgent) : /;\s?wv\)/.test(userAgent);
}
