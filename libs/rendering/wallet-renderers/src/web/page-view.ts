import { codeFormatNames, isWide, shownFormat } from '../code-format.js';
import { mergedFields } from '../merged-fields.js';
import { mergedLocations } from '../merged-locations.js';
import type { RenderField, RenderLocation, RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import { eventPlace, sharedTimeZone, timeZoneAt } from '../venue-time.js';
import { type ActionLink, actionLinks } from './action-words.js';
import { type AddActions, addActions } from './add-actions.js';
import { barcodeSvg } from './barcode.js';
import { directionOf, phrasesOf } from './languages.js';
import type { RelatedPasses, WebImages, WebPageContext } from './page-context.js';
import { dateInWords } from './page-dates.js';
import type { Phrases } from './phrases/phrases.js';
import { type PassColours, passColours } from './readable-colours.js';
import { type StateInWords, stateInWords } from './state-in-words.js';
import { linkOf } from '../value-link.js';
import { webAddress } from './web-address.js';

/** All data that the page template prints. The template itself contains no logic except loops and omissions. */
export interface PageView {
  language: string;
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
  state: StateInWords;
  occasion: Occasion | null;
  primary: LabelledText | null;
  front: LabelledText[];
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
  back: (LabelledText & { key: string; href: string | null })[];
}

/** An event's times and place. They are in the venue's time zone, or UTC without a venue. */
export interface Occasion {
  iso: string;
  day: string;
  /** Empty if the event starts without a time of day. */
  time: string;
  /** When its doors open and when it ends, as far as known: the time, and the day if it is another one. */
  more: LabelledText[];
  place: RenderLocation | null;
}

type PageImages = { readonly [purpose in keyof Omit<WebImages, 'preview'>]?: string };

interface MessageView {
  /** Empty without a title. */
  title: string;
  text: string;
  iso: string;
  date: string;
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
  const inWords = stateInWords(state, pass, reader, timeZone);
  return {
    language: reader.language,
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
    state: inWords,
    occasion,
    primary: pass.primaryValue ? { label: template.primaryLabel ?? '', value: pass.primaryValue } : null,
    front: merged.fields.filter(({ value }) => value !== ''),
    ...codeOf(template, pass, phrases),
    actions: addActions(context, inWords.tone !== 'ended'),
    messages: messagesOf(pass, reader.locale, timeZone),
    buttons: actionLinks(template, pass, reader.language),
    related: context.related ?? null,
    back: [...validFrom(pass, phrases, reader.locale, timeZone), ...merged.backFields.map(withLink)],
  };
}

function codeOf(template: RenderTemplate, { code }: RenderPass, phrases: Phrases) {
  const format = shownFormat(template, code);
  const label = format === 'qr' ? phrases.codeLabel : phrases.barcodeLabel;
  return {
    code,
    codeSvg: barcodeSvg(format, code),
    codeLabel: label.replace('{kind}', codeFormatNames[format]).replace('{code}', () => code),
    codeShape: isWide(format) ? 'wide' : code.length > 100 ? 'dense' : 'usual',
  } satisfies Partial<PageView>;
}

/**
 * Returns the time zone of the dates, or UTC, which they then name. An event has that of its place, whatever the places
 * of a pass, because all its passes show one time. Other types have the zone that all places of the pass share.
 */
export function timeZoneOf(template: RenderTemplate, pass: RenderPass): string {
  if (template.type !== 'event') return sharedTimeZone(mergedLocations(template, pass)) ?? 'UTC';
  const place = eventPlace(template);
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

/** Returns the text of link previews. Anyone with the link sees it, so it contains nothing personal. */
function summaryOf({ issuerName, location }: RenderTemplate, occasion: Occasion | null): string {
  const place = location ? [location.name, location.address].filter(Boolean).join(', ') : '';
  return [issuerName, occasion?.day, occasion?.time, place].filter(Boolean).join(' · ');
}

function validFrom({ validFrom }: RenderPass, phrases: Phrases, locale: string, timeZone: string): PageView['back'] {
  if (!validFrom) return [];
  const value = dateInWords(validFrom, 'moment', locale, timeZone);
  // The key of a pass field never starts with an underscore.
  return [{ key: '_validFrom', label: phrases.validFrom, value, href: null }];
}

function messagesOf({ messages }: RenderPass, locale: string, timeZone: string): MessageView[] {
  return (messages ?? []).map(({ title, text, sentAt }) => ({
    title: title ?? '',
    text,
    iso: sentAt,
    date: dateInWords(new Date(sentAt), 'moment', locale, timeZone),
  }));
}

/** Turns a value into a link if the whole value is an address, as the wallets do. */
function withLink({ key, label, value }: RenderField): PageView['back'][number] {
  return { key, label, value, href: linkOf(value) };
}

/** Returns the images whose addresses may appear in a page. */
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
