import { maxFrontFields } from '../merged-fields.js';
import type { RenderTemplate, RenderType } from '../model.js';

/** How many text modules Google shows of an object when its class does not say which. */
const shownByDefault = 10;

/** How many back fields more than its template a pass may have, each in its own place, where the class says which. */
const spareSlots = 10;

/** Where the texts of the back have room, by number. */
export interface BackSlots {
  /** Text modules `b0`, `b1` …; what is beyond goes into the last. */
  readonly texts: number;
  /** Links `l0`, `l1` …; what is beyond becomes text. */
  readonly links: number;
  /** Whether the class lists what the details show. */
  readonly listed: boolean;
}

/** A generic pass has no property for its issuer's name, so it is a text module. */
export const issuerModuleId = 'issuer';

/** The room for back fields in the passes of a template; class and object agree on it, since both ask here. */
export function backSlots(template: RenderTemplate): BackSlots {
  const others = maxFrontFields + (template.type === 'generic' ? 1 : 0);
  const free = shownByDefault - others;
  const own = template.backFields.length;
  if (own <= free) return { texts: free, links: Infinity, listed: false };
  return { texts: own + spareSlots, links: own + spareSlots, listed: true };
}

/**
 * How a card is laid out: the front fields, which an object has as text modules `f0` to `f3`, in up to two rows below
 * the date of an event or the name on a membership. A template's own fields are laid out by their number; those that
 * a pass adds come in the places after them, which stay empty for other passes and are then not drawn. So a pass may
 * differ from its template while all share one class.
 */
export function classTemplateInfo(template: RenderTemplate): object {
  const rows = [...headRow(template), ...frontRows(template.fields.length)];
  const slots = backSlots(template);
  return {
    cardTemplateOverride: { cardRowTemplateInfos: rows },
    ...(slots.listed && {
      detailsTemplateOverride: { detailsItemInfos: detailPaths(template, slots).map((path) => ({ item: item(path) })) },
    }),
  };
}

function headRow({ type, startDate }: RenderTemplate): object[] {
  if (type === 'membership') return [{ oneItem: { item: item('object.accountName') } }];
  return type === 'event' && startDate ? [{ oneItem: { item: eventDate } }] : [];
}

const eventDate = item('class.dateTime.start', 'DATE_TIME_YEAR');

/** How many fields stand in the first row, by the number of the template's own. */
const inFirstRow = [2, 1, 2, 3, 2];

function frontRows(own: number): object[] {
  const first = inFirstRow[Math.min(own, maxFrontFields)] ?? 2;
  const items = Array.from({ length: maxFrontFields }, (_, index) => item(textPath(`f${index}`)));
  return [items.slice(0, first), items.slice(first)].map(row);
}

function row([first, second, third]: object[]): object {
  if (third) return { threeItems: { startItem: first, middleItem: second, endItem: third } };
  return second ? { twoItems: { startItem: first, endItem: second } } : { oneItem: { item: first } };
}

/** A class that lists the details replaces all of Google's own list. */
const detailsOfType: Record<RenderType, readonly string[]> = {
  offer: [],
  event: ['class.dateTime.start', 'class.venue.name', 'class.venue.address', 'object.ticketNumber'],
  generic: [],
  membership: ['object.accountName', 'object.accountId'],
};

function detailPaths({ type }: RenderTemplate, { texts, links }: BackSlots): string[] {
  const numbered = (count: number, path: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => path(index));
  return [
    ...detailsOfType[type],
    ...numbered(maxFrontFields, (index) => textPath(`f${index}`)),
    ...numbered(texts, (index) => textPath(`b${index}`)),
    ...numbered(links, (index) => `object.linksModuleData.uris['l${index}']`),
    ...(type === 'generic' ? [textPath(issuerModuleId)] : []),
  ];
}

function textPath(id: string): string {
  return `object.textModulesData['${id}']`;
}

function item(fieldPath: string, dateFormat?: string): object {
  return { firstValue: { fields: [{ fieldPath, ...(dateFormat && { dateFormat }) }] } };
}
