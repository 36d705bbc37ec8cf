/** The device of a reader, which determines the first wallet. iPads that identify as Macs count as Macs. */
export type Device = 'iphone' | 'mac' | 'android' | 'desktop';

/** Returns the device that a `User-Agent` header names. */
export function deviceOf(userAgent: string): Device {
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

/** Returns true for the `User-Agent` header of a browser inside another app. */
export function isInApp(userAgent: string, device: Device): boolean {
  if (device !== 'iphone' && device !== 'android') return false;
  if (apps.test(userAgent)) return true;
  // Other apps do not add a name. On an iPhone their browser omits Safari's name; on Android it adds "wv" (WebView).
  return device === 'iphone' ? !/\bSafari\//.test(userAgent) : /;\s?wv\)/.test(userAgent);
}
