import type { RenderPass } from '../model.js';
import { type Reading, readingFor, wantedLanguages } from './languages.js';
import { type Device, deviceOf, isInApp } from './user-agent.js';

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
