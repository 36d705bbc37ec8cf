import { type Body, itemsOf, starterOf, type TemplateType, textOf } from '../template.js';
import { importedFields, objectOf, valueOf } from './imported-fields.js';
import { importedOccasion } from './imported-occasion.js';

/** A template that was read from a pass. */
export interface ImportedTemplate {
  readonly body: Body;
  /** Sentences about the parts of the pass that the template does not have. */
  readonly notes: readonly string[];
}

const styles: Readonly<Record<string, TemplateType>> = {
  coupon: 'offer',
  eventTicket: 'event',
  storeCard: 'membership',
  generic: 'generic',
  posterGeneric: 'generic',
  boardingPass: 'generic',
};
const formats: ReadonlyMap<string, string> = new Map([
  ['PKBarcodeFormatPDF417', 'pdf417'],
  ['PKBarcodeFormatAztec', 'aztec'],
  ['PKBarcodeFormatCode128', 'code128'],
  ['PKBarcodeFormatCode39', 'code39'],
  ['PKBarcodeFormatCodabar', 'codabar'],
  ['PKBarcodeFormatEAN13', 'ean13'],
  ['PKBarcodeFormatI2of5', 'itf'],
]);

/** The properties that become properties of a template. */
const mapped = new Set([
  ...[...Object.keys(styles), 'organizationName', 'description', 'logoText', 'foregroundColor', 'backgroundColor'],
  ...['labelColor', 'barcode', 'barcodes', 'sharingProhibited', 'locations', 'relevantDate', 'relevantDates'],
  ...['featuredActions', 'semantics'],
]);
/** The properties that the service sets for each pass. */
const ofTheService = new Set([
  ...['formatVersion', 'passTypeIdentifier', 'teamIdentifier', 'serialNumber', 'authenticationToken'],
  ...['webServiceURL', 'voided'],
]);
/** The properties that belong to one pass, in words. */
const ofThePass: ReadonlyMap<string, string> = new Map([
  ['expirationDate', 'expirationDate: each pass has its own expiry.'],
  ['groupingIdentifier', 'groupingIdentifier: it belongs to each pass.'],
  ['userInfo', 'userInfo: keep such data in the metadata of each pass.'],
]);

/**
 * Reads a template from the `pass.json` of a pass. Other properties are as in a new template.
 * @param baseUrl the address of the service, whose sample images replace missing ones
 */
export function importedTemplate(pass: Body, baseUrl: string): ImportedTemplate {
  const style = Object.keys(styles).find((name) => pass[name] !== undefined) ?? 'generic';
  const type = styles[style] ?? 'generic';
  const { fields: _, ...start } = starterOf(type, baseUrl);
  const fields = importedFields(objectOf(pass[style]));
  const { title, primaryLabel, note } = headings(pass, type, fields.primary);
  const occasion = type === 'event' ? importedOccasion(pass) : {};
  const [code = objectOf(pass.barcode)] = itemsOf(pass, 'barcodes');
  const codeFormat = formats.get(textOf(code, 'format'));
  const body = {
    ...start,
    title,
    issuerName: textOf(pass, 'organizationName') || textOf(start, 'issuerName'),
    ...colours(pass),
    ...(primaryLabel !== null && { primaryLabel }),
    ...(codeFormat !== undefined && { codeFormat }),
    ...(pass.sharingProhibited === true && { sharingProhibited: true }),
    ...occasion,
    ...(fields.front.length > 0 && { fields: fields.front }),
    ...(fields.back.length > 0 && { backFields: fields.back }),
    ...places(pass),
    ...actions(pass),
  };
  return { body, notes: [...note, ...styleNotes(style), ...codeNotes(code), ...fields.notes, ...leftOut(pass)] };
}

function headings(pass: Body, type: TemplateType, primary: Body | null) {
  const [value, name] = [valueOf(primary ?? {}), textOf(pass, 'logoText') || textOf(pass, 'description')];
  if (type === 'offer' || type === 'event') return { title: value || name || 'Untitled', primaryLabel: null, note: [] };
  const note = value === '' ? [] : [`“${value}”: each pass has its own primaryValue.`];
  return { title: name || 'Untitled', primaryLabel: textOf(primary ?? {}, 'label') || 'Holder', note };
}

function colours(pass: Body): Body {
  const names = ['foregroundColor', 'backgroundColor', 'labelColor'];
  return Object.fromEntries(
    names.flatMap((name) => (hexOf(textOf(pass, name)) ? [[name, hexOf(textOf(pass, name))]] : [])),
  );
}

/** Returns a colour such as `rgb(31, 42, 107)` as `#1f2a6b`; null for any other text. */
function hexOf(text: string): string | null {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase();
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return null;
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function places(pass: Body): Body {
  const locations = itemsOf(pass, 'locations').flatMap(({ latitude, longitude, relevantText }) => {
    if (typeof latitude !== 'number' || typeof longitude !== 'number') return [];
    const text = typeof relevantText === 'string' ? relevantText : '';
    return [{ address: text || `${latitude}, ${longitude}`, latitude, longitude, ...(text && { relevantText: text }) }];
  });
  return locations.length > 0 ? { locations: locations.slice(0, 10) } : {};
}

function actions(pass: Body): Body {
  const found = itemsOf(pass, 'featuredActions')
    .map((action) => ({ type: textOf(action, 'type'), url: textOf(action, 'url') }))
    .filter(({ type, url }) => type !== '' && type !== 'place' && url !== '');
  return found.length > 0 ? { actions: found.slice(0, 2) } : {};
}

function styleNotes(style: string): string[] {
  return style === 'boardingPass' ? ['boardingPass: the template is a generic one.'] : [];
}

function codeNotes(code: Body): string[] {
  return textOf(code, 'message') === '' ? [] : [`${textOf(code, 'message')}: each pass has its own code.`];
}

function leftOut(pass: Body): string[] {
  const names = Object.keys(pass).filter((name) => !mapped.has(name));
  const own = names.flatMap((name) => ofThePass.get(name) ?? []);
  const service = names.filter((name) => ofTheService.has(name));
  const others = names.filter((name) => !ofTheService.has(name) && !ofThePass.has(name));
  return [
    ...own,
    ...(service.length > 0 ? [`${service.join(', ')}: the service sets them.`] : []),
    ...(others.length > 0 ? [`${others.join(', ')}: templates have no such property.`] : []),
  ];
}
