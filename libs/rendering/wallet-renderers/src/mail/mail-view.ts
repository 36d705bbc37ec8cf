import { addressLine } from '../merged-locations.js';
import type { RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import { type ActionLink, actionLinks } from '../web/action-words.js';
import { directionOf, type Language, otherLanguage, phrasesOf, readingFor } from '../web/languages.js';
import { occasionOf, timeZoneOf } from '../web/page-view.js';
import { stateInWords } from '../web/state-in-words.js';
import { webAddress } from '../web/web-address.js';
import { type MailColours, mailColours } from './mail-colours.js';
import { linesOf, oneLine } from './mail-line.js';
import { mailPhrases } from './mail-phrases.js';

/** An image at an absolute address, with its size in pixels. */
export interface MailImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/** The input of every mail about a pass. */
export interface MailContext {
  /** The address of the pass's page, which the button opens. */
  readonly webUrl: string;
  /** The template's images in their web sizes. Missing images are omitted. */
  readonly images: { readonly banner?: MailImage | null; readonly logo?: MailImage | null };
  readonly language: Language;
}

/**
 * Returns the languages in which a mail shows the texts of a pass, best first: the language of the mail, then the
 * holder's. The holder's comes first if it is a variant of the mail's language, or if the service has no mails in it.
 */
export function wantedInMail(language: Language, { language: holder }: Pick<RenderPass, 'language'>): string[] {
  if (!holder) return [language];
  const { language: known } = readingFor(holder, language);
  return known === language ? [holder, language] : [language, holder];
}

/** The input of a pass mail besides template and pass. */
export interface PassMailContext extends MailContext {
  /** The result of `passMailSubject`. */
  readonly subject: string;
  /** The sender's own text, shown with its line breaks; null if there is none. */
  readonly message: string | null;
  /** The default language, as a BCP 47 tag, for templates that do not name a language. Default: `en`. */
  readonly ownLanguage?: string;
  /**
   * The address of the page with this pass and all related passes; null or undefined if there are no related passes.
   */
  readonly togetherUrl?: string | null;
  /** The current time. The mail states the pass's state at this time. */
  readonly now: Date;
}

/** The content of a mail in the form that its HTML template and its text need. */
export interface MailView {
  language: string;
  direction: 'ltr' | 'rtl';
  /** The BCP 47 tag of the language of the pass's own texts; null if it is unknown or the language of the mail. */
  textLanguage: string | null;
  subject: string;
  title: string;
  issuer: string;
  banner: MailImage | null;
  logo: MailImage | null;
  colours: MailColours;
  message: { heading: Named; lines: string[] } | null;
  facts: Fact[];
  /** Sentences about the validity period. */
  validity: string[];
  lead: string;
  open: string;
  copyAddress: string;
  webUrl: string;
  /** The issuer's own actions. The mail shows them after the link to related passes. */
  actions: ActionLink[];
  sentBy: Named;
}

/**
 * A phrase split around the issuer's name, because a name in the opposite writing direction could reorder the phrase.
 */
interface Named {
  before: string;
  after: string;
}

interface Fact {
  label: string;
  main: string;
  more: string;
  /** The language of `main` and `more`, as `textLanguage`. */
  language: string | null;
}

const bannerWidth = 600;
const logoBox = { width: 240, height: 48 };

/** Builds the view. @throws RangeError for an unreadable colour or an invalid page address */
export function mailView(template: RenderTemplate, pass: RenderPass, context: PassMailContext): MailView {
  const { language, message, subject } = context;
  const own = mailPhrases[language];
  return {
    ...frameOf(template, context),
    subject,
    message: message === null ? null : { heading: named(own.messageFrom), lines: linesOf(message.trim()) },
    facts: factsOf(template, pass, language),
    validity: validityOf(template, pass, context),
    lead: own.lead,
    actions: [...togetherLink(context), ...actionLinks(template, pass, language)],
    sentBy: named(own.sentBy),
  };
}

function togetherLink({ togetherUrl, language }: PassMailContext): ActionLink[] {
  const href = togetherUrl ? webAddress(togetherUrl) : null;
  return href === null ? [] : [{ words: phrasesOf(language).bundleTitle, href }];
}

/**
 * Builds the common parts of all mails about a pass.
 * @throws RangeError for an unreadable colour or an invalid page address
 */
export function frameOf(
  template: RenderTemplate,
  { language, images, webUrl: page }: MailContext,
): Omit<MailView, 'subject' | 'message' | 'facts' | 'validity' | 'lead' | 'actions' | 'sentBy'> {
  const webUrl = webAddress(page);
  if (webUrl === null) throw new RangeError(`"${page.slice(0, 100)}" is not a web address`);
  return {
    language,
    direction: directionOf(language),
    textLanguage: otherLanguage(template, language),
    title: oneLine(template.title),
    issuer: oneLine(template.issuerName),
    banner: fitted(images.banner, { width: bannerWidth, height: Infinity }),
    logo: fitted(images.logo, logoBox),
    colours: mailColours(template),
    open: mailPhrases[language].open,
    copyAddress: phrasesOf(language).copyAddress,
    webUrl,
  };
}

/** Splits a phrase at `{issuer}`. */
export function named(phrase: string): Named {
  const [before = '', after = ''] = phrase.split('{issuer}');
  return { before, after };
}

function factsOf(template: RenderTemplate, pass: RenderPass, language: Language): Fact[] {
  const phrases = phrasesOf(language);
  const { locale } = readingFor(language, undefined);
  const occasion = occasionOf(template, phrases, locale, timeZoneOf(template, pass));
  const day = occasion?.day ? [{ label: phrases.when, main: occasion.day, more: occasion.time, language: null }] : [];
  const more = (occasion?.more ?? []).map(({ label, value }) => ({ label, main: value, more: '', language: null }));
  const when = [...day, ...more];
  const place = occasion?.place;
  if (!place) return when;
  const address = oneLine(addressLine(place.address));
  const where = place.name ? { main: oneLine(place.name), more: address } : { main: address, more: '' };
  return [...when, { label: phrases.where, ...where, language: otherLanguage(template, language) }];
}

/**
 * Returns sentences about the end of the validity period, and about its start unless the pass is already valid. Returns
 * no sentences for a pass without dates.
 */
function validityOf(template: RenderTemplate, pass: RenderPass, { language, now }: PassMailContext): string[] {
  const reading = readingFor(language, undefined);
  const timeZone = timeZoneOf(template, pass);
  const state = passState(template, pass, now);
  const inWords = (which: typeof state) => stateInWords(which, pass, reading, timeZone).words;
  const until = pass.expiresAt ? [inWords('valid')] : [];
  if (state === 'valid') return until;
  return state === 'not_yet_valid' ? [inWords(state), ...until] : [inWords(state)];
}

/** Shrinks an image to fit the box, but never enlarges it. Returns null if its address or size is missing. */
function fitted(image: MailImage | null | undefined, box: { width: number; height: number }): MailImage | null {
  const url = image ? webAddress(image.url) : null;
  if (!image || url === null || image.width < 1 || image.height < 1) return null;
  const scale = Math.min(box.width / image.width, box.height / image.height);
  const size = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  return { url, width: size(image.width), height: size(image.height) };
}
