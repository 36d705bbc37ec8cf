import type { GoogleVertical } from '@passwright/google-wallet-schema';
import { isJsonObject } from './compact-jwt.js';
import { textAt, textOf } from './google-texts.js';
import type { GoogleBody } from './resource-form.js';

/** A text with its label. The label is null if Google shows none or its own. */
export interface GoogleField {
  readonly label: string | null;
  readonly value: string;
}

/** The part of a pass that its holder sees in Google Wallet. */
export interface GoogleOnScreen {
  readonly vertical: GoogleVertical;
  readonly state: string;
  /** The name at the top, beside the logo. */
  readonly name: string;
  /** The title, which is the large line of the card. */
  readonly title: string;
  /** The small line above the title; null if there is none. */
  readonly titleLabel: string | null;
  /** The venue of an event; null if the class has no venue. */
  readonly venue: { readonly name: string; readonly address: string } | null;
  /** The rows of the card in the layout of the class, without empty fields and rows. */
  readonly rows: readonly (readonly GoogleField[])[];
  /** The fields on the details page: those that the class lists, or else the first ten text modules. */
  readonly details: readonly GoogleField[];
  readonly links: readonly { readonly words: string; readonly url: string }[];
  readonly barcode: { readonly type: string; readonly value: string } | null;
  /** The addresses of the images, the same in every language. A wide logo replaces the logo and the name. */
  readonly images: { readonly logo: string | null; readonly wideLogo: string | null; readonly hero: string | null };
  readonly messages: readonly { readonly header: string; readonly body: string }[];
}

/** A stored class and object, and the languages of the holder, the preferred one first. */
export interface HeldObject {
  readonly vertical: GoogleVertical;
  readonly class: GoogleBody;
  readonly object: GoogleBody;
  readonly languages: readonly string[];
}

const MOST_MODULES = 10;

/** The properties of each vertical that contain the name, the title and the images. */
const places = {
  offer: { name: 'class.issuerName', title: 'class.title', logo: 'class.titleImage', wide: 'class.wideTitleImage' },
  eventTicket: { name: 'class.issuerName', title: 'class.eventName', logo: 'class.logo', wide: 'class.wideLogo' },
  generic: { name: 'object.cardTitle', title: 'object.header', logo: 'object.logo', wide: 'object.wideLogo' },
  loyalty: {
    name: 'class.issuerName',
    title: 'class.programName',
    logo: 'class.programLogo',
    wide: 'class.wideProgramLogo',
  },
} as const satisfies Record<GoogleVertical, object>;

/** The labels that a class sets for properties of its objects. */
const labels: Readonly<Record<string, string>> = {
  'object.accountName': 'class.accountNameLabel',
  'object.accountId': 'class.accountIdLabel',
};

/**
 * Returns the part of an object that a holder sees.
 * @see https://developers.google.com/wallet/generic/resources/template
 */
export function googleScreen(held: HeldObject): GoogleOnScreen {
  const { vertical, object, languages } = held;
  const { name, title, logo, wide } = places[vertical];
  const text = (path: string) => textAt(held, path);
  const venueName = text('class.venue.name');
  return {
    vertical,
    state: text('object.state') ?? 'ACTIVE',
    name: text(name) ?? '',
    title: text(title) ?? '',
    titleLabel: text('object.subheader'),
    venue: venueName === null ? null : { name: venueName, address: text('class.venue.address') ?? '' },
    rows: rowsOf(held),
    details: detailsOf(held),
    links: itemsOf(object['linksModuleData'], 'uris').map((link) => {
      return { words: textOf(link, 'description', languages) ?? '', url: String(link['uri']) };
    }),
    barcode: barcodeOf(object['barcode']),
    images: {
      logo: text(`${logo}.sourceUri.uri`),
      wideLogo: text(`${wide}.sourceUri.uri`),
      hero: text('object.heroImage.sourceUri.uri') ?? text('class.heroImage.sourceUri.uri'),
    },
    messages: itemsOf(object, 'messages').map((message) => {
      const part = (of: string) => textOf(message, of, languages) ?? '';
      return { header: part('header'), body: part('body') };
    }),
  };
}

function rowsOf(held: HeldObject): GoogleField[][] {
  const card = valueOf(held.class['classTemplateInfo'], 'cardTemplateOverride');
  return itemsOf(card, 'cardRowTemplateInfos')
    .map((row) =>
      Object.values(row)
        .flatMap((items) => (isJsonObject(items) ? Object.values(items) : []))
        .flatMap((item) => fieldOf(held, item) ?? []),
    )
    .filter((fields) => fields.length > 0);
}

function detailsOf(held: HeldObject): GoogleField[] {
  const list = valueOf(held.class['classTemplateInfo'], 'detailsTemplateOverride');
  if (list) return itemsOf(list, 'detailsItemInfos').flatMap(({ item }) => fieldOf(held, item) ?? []);
  const modules = [held.object, held.class].flatMap((body) => itemsOf(body, 'textModulesData'));
  return modules.slice(0, MOST_MODULES).flatMap((module) => moduleField(module, held.languages) ?? []);
}

/** Returns the first field of a template item that has a value; null if there is none. */
function fieldOf(held: HeldObject, item: unknown): GoogleField | null {
  const paths = itemsOf(valueOf(item, 'firstValue'), 'fields').map(({ fieldPath }) => String(fieldPath));
  return paths.map((path) => fieldAt(held, path)).find((field) => field !== null) ?? null;
}

function fieldAt(held: HeldObject, path: string): GoogleField | null {
  const [, part, list, id] = /^(class|object)\.(textModulesData|linksModuleData\.uris)\['([^']*)'\]$/.exec(path) ?? [];
  if (part === undefined) {
    const value = textAt(held, path);
    const label = labels[path];
    return value === null ? null : { label: label === undefined ? null : textAt(held, label), value };
  }
  const body = held[part as 'class' | 'object'];
  if (list === 'textModulesData') {
    const module = itemsOf(body, list).find((each) => each['id'] === id);
    return module ? moduleField(module, held.languages) : null;
  }
  const link = itemsOf(body['linksModuleData'], 'uris').find((each) => each['id'] === id);
  return link ? { label: null, value: textOf(link, 'description', held.languages) ?? String(link['uri']) } : null;
}

function moduleField(module: Json, languages: readonly string[]): GoogleField | null {
  const value = textOf(module, 'body', languages);
  return value === null ? null : { label: textOf(module, 'header', languages), value };
}

function barcodeOf(barcode: unknown): GoogleOnScreen['barcode'] {
  return isJsonObject(barcode) ? { type: String(barcode['type']), value: String(barcode['value']) } : null;
}

type Json = Readonly<Record<string, unknown>>;

function valueOf(body: unknown, name: string): unknown {
  return isJsonObject(body) ? body[name] : undefined;
}

function itemsOf(body: unknown, name: string): Json[] {
  const items = valueOf(body, name);
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}
