import { maxFrontFields } from '../merged-fields.js';
import type { RenderTemplate, RenderType } from '../model.js';

/** The number of text modules that Google shows if the class does not list them. */
const shownByDefault = 10;

/** The number of extra slots for back fields, so that a pass can have more back fields than its template. */
const spareSlots = 10;

/** The number of text modules and links that a class reserves for back fields. */
export interface BackSlots {
  /** The number of text modules `b0`, `b1` …; the last one also contains all remaining fields. */
  readonly texts: number;
  /** The number of links `l0`, `l1` …; the remaining links become text. */
  readonly links: number;
  /** True if the class lists its details, the content below the card. False for Google's default list. */
  readonly listed: boolean;
}

/** The id of the text module with the issuer's name, which a generic pass has no property for. */
export const issuerModuleId = 'issuer';

/** Returns the number of slots for back fields, which a class and its objects share. */
export function backSlots(template: RenderTemplate): BackSlots {
  const others = maxFrontFields + (template.type === 'generic' ? 1 : 0);
  const free = shownByDefault - others;
  const own = template.backFields.length;
  if (own <= free) return { texts: free, links: Infinity, listed: false };
  return { texts: own + spareSlots, links: own + spareSlots, listed: true };
}

/**
 * Builds the card layout: the front fields in up to two rows, below the date of an event or the name on a membership.
 * The front fields are the text modules `f0` to `f3` of an object. The number of the template's fields decides how many
 * are in each row. Slots for fields that only some passes have follow. Google does not draw empty slots.
 */
export function classTemplateInfo(template: RenderTemplate): object {
  const rows = [...headRow(template), ...frontRows(template.fields.length)];
  const slots = backSlots(template);
  return {
    cardTemplateOverride: { cardRowTemplateInfos: rows },
    ...(slots.listed && {
      detailsTemplateOverride: {
        detailsItemInfos: detailPaths(template, slots).map((path) => ({
          item: template.startDay && path === startPath ? eventDay : item(path),
        })),
      },
    }),
  };
}

function headRow({ type, startDate, startDay }: RenderTemplate): object[] {
  if (type === 'membership') return [{ oneItem: { item: item('object.accountName') } }];
  return type === 'event' && startDate ? [{ oneItem: { item: startDay ? eventDay : eventDate } }] : [];
}

const startPath = 'class.dateTime.start';
const eventDate = item(startPath, 'DATE_TIME_YEAR');
const eventDay = item(startPath, 'DATE_YEAR');

/** The number of fields in the first row, by the number of the template's own fields. */
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

/** The details of each type. A class that lists details replaces Google's whole list. */
const detailsOfType: Record<RenderType, readonly string[]> = {
  offer: [],
  event: [startPath, 'class.venue.name', 'class.venue.address', 'object.ticketNumber'],
  generic: [],
  membership: ['object.accountName', 'object.accountId'],
};

function detailPaths({ type, doorsOpen, endDate }: RenderTemplate, { texts, links }: BackSlots): string[] {
  const numbered = (count: number, path: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => path(index));
  return [
    ...detailsOfType[type],
    ...(doorsOpen ? ['class.dateTime.doorsOpen'] : []),
    ...(endDate ? ['class.dateTime.end'] : []),
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
