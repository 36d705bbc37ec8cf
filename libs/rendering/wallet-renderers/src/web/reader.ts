import { type Reading, readingFor } from './languages.js';

/** What a page is read on; it decides which wallet comes first. iPads that call themselves Macs are taken for these. */
export type Device = 'iphone' | 'mac' | 'android' | 'desktop';

/** Who reads a page, as far as it matters to it. */
export interface Reader extends Reading {
  readonly device: Device;
  /** Whether the page is open inside another app, whose browser often cannot add passes. */
  readonly inApp: boolean;
}

/** What a request says of its reader. */
export interface ReaderHints {
  /** `?lang=` */
  readonly lang?: string;
  readonly acceptLanguage?: string;
  readonly userAgent?: string;
}

export function readerOf({ lang, acceptLanguage, userAgent = '' }: ReaderHints): Reader {
  const device = deviceOf(userAgent);
  return { ...readingFor(lang, acceptLanguage), device, inApp: isInApp(userAgent, device) };
}

function deviceOf(userAgent: string): Device {
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent)) return 'iphone';
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  return /\bMacintosh\b/.test(userAgent) ? 'mac' : 'desktop';
}

/** Names that apps add: Facebook, Messenger, Instagram, TikTok, LINE, WeChat, LinkedIn, Snapchat, Pinterest, X, Google, Teams … */
const apps =
  /\bFB(?:AN|AV|_IAB)\b|Instagram|BytedanceWebview|musical_ly|TikTok|trill_|\bLine\/|MicroMessenger|LinkedInApp|Snapchat|Pinterest|Twitter|\bGSA\/|KAKAOTALK|Telegram|Viber|WhatsApp\/|\bGMail\b/i;

function isInApp(userAgent: string, device: Device): boolean {
  if (device !== 'iphone' && device !== 'android') return false;
  if (apps.test(userAgent)) return true;
  // An app that does not name itself: on an iPhone it lacks Safari's name, on Android it is a "WebView".
  return device === 'iphone' ? !/\bSafari\//.test(userAgent) : /;\s?wv\)/.test(userAgent);
}
