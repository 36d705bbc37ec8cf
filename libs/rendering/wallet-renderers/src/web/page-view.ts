import { codeFormatNames, isWide, shownFormat } from '../code-format.js';
import { mergedFields } from '../merged-fields.js';
import { addressLine } from '../merged-locations.js';
import type { RenderField, RenderLocation, RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import { passPlace, timeZoneAt } from '../venue-time-zone.js';
import { type ActionLink, actionLinks } from './action-words.js';
import { type AddActions, addActions } from './add-actions.js';
import { barcodeSvg } from './barcode.js';
import { directionOf, otherLanguage, phrasesOf, type Reading } from './languages.js';
import type { RelatedPasses, WebImages, WebPageContext } from './page-context.js';
import { linkedText, type TextPart } from './linked-text.js';
import { dateInWords } from './page-dates.js';
import type { Phrases } from './phrases/phrases.js';
import { type PassColours, passColours } from './readable-colours.js';
import { type StateInWords, stateInWords } from './state-in-words.js';
import { webAddress } from './web-address.js';

/** All data that the page template prints. The template has no logic except loops and conditions for missing parts. */
export interface PageView {
  language: string;
  /** The BCP 47 tag of the language in which dates are written. */
  locale: string;
  /** The BCP 47 tag of the language of the pass's own texts; null if it is unknown or the language of the page. */
  textLanguage: string | null;
  direction: 'ltr' | 'rtl';
  phrases: Phrases;
  version: string;
  type: RenderTemplate['type'];
  title: string;
  issuerName: string;
  summary: string;
  webUrl: string;
  images: PageImages;
  preview: WebImages['preview'];
  colours: PassColours;
  /** The state as text, also split into the parts before, at and after its time. */
  state: StateInWords & { readonly parts: readonly TimedPart[] };
  occasion: Occasion | null;
  primary: LabelledText | null;
  front: LabelledText[];
  /** True if three fields fit in a row on a phone. */
  frontIsShort: boolean;
  code: string;
  codeSvg: string;
  codeLabel: string;
  /** The shape of the code. A dense or wide code needs the full width. */
  codeShape: 'usual' | 'dense' | 'wide';
  actions: AddActions;
  /** The messages to the holder, newest first. */
  messages: MessageView[];
  /** The issuer's own actions. */
  buttons: ActionLink[];
  /** The other passes of the holder, or null. */
  related: RelatedPasses | null;
  /** The back fields with unique keys. */
  back: {
    key: string;
    label: string;
    parts: readonly (TextPart | TimedPart)[];
    /** The language of label and value, as `textLanguage`. */
    language: string | null;
  }[];
}

/** An event's times and place. Times are in the venue's time zone, or UTC without a venue. */
export interface Occasion {
  iso: string;
  day: string;
  /** Empty if the event starts without a time of day. */
  time: string;
  /**
   * The opening of the doors and the end of the event, if known. Each names its day if that is not the day of the
   * start.
   */
  more: LabelledText[];
  place: RenderLocation | null;
}

type PageImages = { readonly [purpose in keyof Omit<WebImages, 'preview'>]?: string };

/** A part of a text. If it is a time, the page's script converts it to the reader's own zone. */
interface TimedPart {
  readonly text: string;
  readonly href: null;
  /** The time that the text states, if it is a time in UTC. */
  readonly iso?: string;
}

interface MessageView {
  /** Empty without a title. */
  title: string;
  parts: readonly TextPart[];
  iso: string;
  date: string;
  /** True if the page's script converts the time from UTC to the reader's own zone. */
  isLocal: boolean;
}

interface LabelledText {
  label: string;
  value: string;
}

export function pageView(template: RenderTemplate, pass: RenderPass, context: WebPageContext): PageView {
  const { reader } = context;
  const phrases = phrasesOf(reader.language);
  const state = passState(template, pass, context.now);
  const merged = mergedFields(template, pass);
  const timeZone = timeZoneOf(template, pass);
  const occasion = occasionOf(template, phrases, reader.locale, timeZone);
  const front = merged.fields.filter(({ value }) => value.trim() !== '');
  const inWords = stateInWords(state, pass, reader, timeZone);
  const textLanguage = otherLanguage(template, reader.language);
  return {
    language: reader.language,
    locale: reader.locale,
    textLanguage,
    direction: directionOf(reader.language),
    phrases,
    version: context.version,
    type: template.type,
    title: template.title,
    issuerName: template.issuerName,
    summary: summaryOf(template, occasion),
    webUrl: context.urls.web,
    images: pageImages(context.images),
    preview: previewOf(context.images),
    colours: passColours(template),
    state: { parts: stateParts(inWords, timeZone), ...inWords },
    occasion,
    primary: pass.primaryValue ? { label: template.primaryLabel ?? '', value: pass.primaryValue } : null,
    front,
    frontIsShort: front.length === 3 && front.every(isShort),
    ...codeOf(template, pass, phrases),
    actions: addActions(context, inWords.tone !== 'ended'),
    messages: messagesOf(pass, reader.locale, timeZone),
    buttons: actionLinks(template, pass, reader.language),
    related: context.related ?? null,
    back: [...validFrom(pass, phrases, reader.locale, timeZone), ...merged.backFields.map(withLinks(textLanguage))],
  };
}

function codeOf(template: RenderTemplate, { code }: RenderPass, phrases: Phrases) {
  const format = shownFormat(template, code);
  const label = format === 'qr' ? phrases.codeLabel : phrases.barcodeLabel;
  return {
    code,
    codeSvg: barcodeSvg(format, code),
    codeLabel: label.replace('{kind}', codeFormatNames[format]).replace('{code}', () => code),
    codeShape: isWide(format) ? 'wide' : Buffer.byteLength(code) > 100 ? 'dense' : 'usual',
  } satisfies Partial<PageView>;
}

/**
 * Returns the time zone of the dates on a page, see `passPlace`. Without a known zone it is UTC, and the page labels its
 * dates as UTC.
 */
export function timeZoneOf(template: RenderTemplate, pass: RenderPass): string {
  const place = passPlace(template, pass);
  return place ? timeZoneAt(place) : 'UTC';
}

export function occasionOf(
  { startDate, startDay, doorsOpen, endDate, location }: RenderTemplate,
  phrases: Phrases,
  locale: string,
  timeZone: string,
): Occasion | null {
  if (!startDate && !location) return null;
  const inWords = (date: Date, form: 'day' | 'time' | 'moment') => dateInWords(date, form, locale, timeZone);
  const day = startDate ? inWords(startDate, 'day') : '';
  const more = [
    { label: phrases.doorsOpen, date: doorsOpen },
    { label: phrases.ends, date: endDate },
  ];
  return {
    iso: startDay ?? startDate?.toISOString() ?? '',
    day,
    time: startDate && !startDay ? inWords(startDate, 'time') : '',
    more: more.flatMap(({ label, date }) =>
      date ? [{ label, value: inWords(date, inWords(date, 'day') === day ? 'time' : 'moment') }] : [],
    ),
    place: location,
  };
}

/** Returns the day and the time of an event in words; empty for any other pass. */
export function eventDay(template: RenderTemplate, pass: RenderPass, { language, locale }: Reading): string {
  const occasion = occasionOf(template, phrasesOf(language), locale, timeZoneOf(template, pass));
  return [occasion?.day, occasion?.time].filter(Boolean).join(' · ');
}

/** Returns the text of link previews. It contains nothing personal, because everyone with the link sees it. */
function summaryOf({ issuerName, location }: RenderTemplate, occasion: Occasion | null): string {
  const place = location ? [location.name, addressLine(location.address)].filter(Boolean).join(', ') : '';
  return [issuerName, occasion?.day, occasion?.time, place].filter(Boolean).join(' · ');
}

function validFrom({ validFrom }: RenderPass, phrases: Phrases, locale: string, timeZone: string): PageView['back'] {
  if (!validFrom) return [];
  const value = dateInWords(validFrom, 'moment', locale, timeZone);
  // This key is never the key of a pass field, because those never start with an underscore.
  return [{ key: '_validFrom', label: phrases.validFrom, parts: [timed(validFrom, value, timeZone)], language: null }];
}

function messagesOf({ messages }: RenderPass, locale: string, timeZone: string): MessageView[] {
  return (messages ?? []).map(({ title, text, sentAt }) => ({
    title: title ?? '',
    parts: linkedText(text),
    iso: sentAt,
    date: dateInWords(new Date(sentAt), 'moment', locale, timeZone),
    isLocal: timeZone === 'UTC',
  }));
}

/** @param language the language of the fields, as `textLanguage` */
function withLinks(language: string | null) {
  return ({ key, label, value }: RenderField) => ({ key, label, parts: linkedText(value), language });
}

/** Splits the state at its time. */
function stateParts({ words, moment }: StateInWords, timeZone: string): TimedPart[] {
  if (!moment) return [{ text: words, href: null }];
  const [before = '', ...after] = words.split(moment.text);
  const ends = [before, after.join(moment.text)].map((text) => ({ text, href: null }));
  return [...ends.slice(0, 1), timed(moment.date, moment.text, timeZone), ...ends.slice(1)];
}

/**
 * Marks a time in UTC, so that the page's script converts it to the reader's zone. A time in the zone of a place stays
 * unchanged.
 */
function timed(date: Date, text: string, timeZone: string): TimedPart {
  return { text, href: null, ...(timeZone === 'UTC' && { iso: date.toISOString() }) };
}

/** The number of characters that fit in a third of a phone's width. */
const shortText = 12;

function isShort({ label, value }: LabelledText): boolean {
  return label.length <= shortText && value.length <= shortText && !value.includes('\n');
}

/** Returns the images with a valid web address. Leaves out all others. */
function pageImages({ icon, logo, banner, background, thumbnail, artwork }: WebImages): PageImages {
  const addresses = Object.entries({ icon, logo, banner, background, thumbnail, artwork }).flatMap(([purpose, url]) => {
    const address = url ? webAddress(url) : null;
    return address === null ? [] : [[purpose, address] as const];
  });
  return Object.fromEntries(addresses);
}

function previewOf({ preview }: WebImages): PageView['preview'] {
  const url = preview ? webAddress(preview.url) : null;
  return preview && url !== null ? { ...preview, url } : null;
}
