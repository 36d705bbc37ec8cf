import type { PassRequest } from '../generated/api.js';

/**
 * The parts of a pass that a cell can set. `fields.<key>`, `backFields.<key>` and `metadata.<name>` are additional
 * parts.
 */
const named = ['id', 'code', 'primaryValue', 'validFrom', 'expiry', 'thumbnail', 'voided', 'metadata'] as const;
/** The parts of a pass that a cell contains as JSON. They override other columns. */
export const jsonParts = ['fields', 'backFields', 'locations', 'translations', 'actions', 'linkedPasses'] as const;
/**
 * The parts of a pass that a column can fill, in addition to `partGroups`. A column named "language" or "group" counts
 * only if the caller maps it, because it may contain anything else.
 */
export const passParts = [...named, 'language', 'group', 'group.order', ...jsonParts] as const;
/** The prefixes of parts that have a key, such as `fields.seat`. */
export const partGroups = ['fields', 'backFields', 'metadata'] as const;

/** The columns of an export that an import ignores. */
const reported = [
  'templateId',
  'accountId',
  'redeemedAt',
  'createdAt',
  'updatedAt',
  'walletAUrl',
  'walletBUrl',
  'webUrl',
];

/** A file that has all of these columns is an export. */
const ofExports = ['createdAt', 'updatedAt', 'walletAUrl', 'walletBUrl', 'webUrl'];

/** The part for each common column name, in lower case without spaces and punctuation. */
const aliases: Readonly<Record<string, (typeof named)[number]>> = {
  passid: 'id',
  barcode: 'code',
  primary: 'primaryValue',
  name: 'primaryValue',
  fullname: 'primaryValue',
  holder: 'primaryValue',
  member: 'primaryValue',
  expires: 'expiry',
  expirydate: 'expiry',
  validuntil: 'expiry',
  validto: 'expiry',
};

/** The column for each part of a pass: `{ "primaryValue": "Name", "fields.seat": "Seat No" }`. */
export type ColumnMapping = Readonly<Record<string, string>>;

interface Labelled {
  readonly key: string;
  readonly label: string;
}

/** The properties of a template that `matchColumns` needs. A response of `getTemplate` has all of them. */
export interface RowTemplate {
  readonly type: string;
  readonly primaryLabel?: string;
  readonly fields?: readonly Labelled[];
  readonly backFields?: readonly Labelled[];
}

/** Returns true for the columns of an export, which are named like properties of a pass and contain exact values. */
export function isPassExport(columns: readonly string[] | null): boolean {
  return ofExports.every((name) => columns?.includes(name));
}

/**
 * Completes a mapping. Keeps the given columns, and adds columns that are named like a part of a pass, or like a key or
 * label of the template's fields. Omits all other columns.
 */
export function matchColumns(
  columns: readonly string[],
  template: RowTemplate,
  given: ColumnMapping = {},
): ColumnMapping {
  const mapping: Record<string, string> = { ...given };
  const isExported = isPassExport(columns);
  for (const column of columns) {
    if (Object.values(mapping).includes(column)) continue;
    const exported = isExported ? passParts.find((known) => known === column) : undefined;
    const target = exported ?? targetOf(column, template);
    if (target && mapping[target] === undefined) mapping[target] = column;
  }
  return mapping;
}

const bare = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}.]/gu, '');

function targetOf(column: string, template: RowTemplate): string | null {
  const name = bare(column);
  const group = partGroups.find((known) => column.startsWith(`${known}.`));
  if (group) return column;
  const property = named.find((known) => bare(known) === name);
  if (property) return property;
  const takesPrimary = template.primaryLabel !== undefined;
  if (takesPrimary && bare(template.primaryLabel) === name) return 'primaryValue';
  for (const side of ['fields', 'backFields'] as const) {
    const field = template[side]?.find(({ key, label }) => bare(key) === name || bare(label) === name);
    if (field) return `${side}.${field.key}`;
  }
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  return alias && (alias !== 'primaryValue' || takesPrimary) ? alias : null;
}

/**
 * Builds the pass of a row. Ignores empty cells, so that the template's values apply.
 * @param isExact keeps spaces around texts, because the cells of an export are exact
 */
export function passOfRow(
  mapping: ColumnMapping,
  cells: Readonly<Record<string, unknown>>,
  template: RowTemplate,
  isExact = false,
): PassRequest {
  const pass: Record<string, unknown> = {};
  const lists = new Map<string, unknown>();
  for (const [target, column] of Object.entries(mapping)) {
    const cell = cells[column];
    const value = typeof cell === 'string' && !isExact ? cell.trim() : cell;
    if (value === '' || value === undefined || value === null) continue;
    const [group = '', ...rest] = target.split('.');
    const key = rest.join('.');
    if (jsonParts.some((part) => part === target)) lists.set(target, parsed(value));
    else if (group === 'group') pass.group = { ...(pass.group as object), ...groupPart(key, value) };
    else if (target === 'metadata') pass.metadata = withMetadata(pass.metadata, value);
    else if (key === '') pass[target] = target === 'voided' ? truth(value) : cellText(value);
    else if (group === 'metadata') pass.metadata = { ...(pass.metadata as object), [key]: value };
    else {
      const label = template[group as 'fields' | 'backFields']?.find((field) => field.key === key)?.label ?? column;
      pass[group] = [...((pass[group] as object[]) ?? []), { key, label, value: cellText(value) }];
    }
  }
  return { ...pass, ...Object.fromEntries(lists) };
}

/** Parses a JSON cell. Returns other text unchanged, so that the service rejects it with an explanation. */
function parsed(cell: unknown): unknown {
  try {
    return typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
  } catch {
    return cell;
  }
}

/** Returns the part of `group` that a cell sets: the id of the group, or the pass's position in it. */
function groupPart(key: string, value: unknown): object {
  const text = cellText(value);
  return key === 'order' ? { order: /^\d+$/.test(text) ? Number(text) : value } : { id: text };
}

/**
 * Returns the pass in a line that already has its properties, for example from an export. Omits null and ignored
 * properties.
 */
export function passOfLine(line: Readonly<Record<string, unknown>>): PassRequest {
  return Object.fromEntries(Object.entries(line).filter(([name, value]) => value !== null && !reported.includes(name)));
}

/**
 * Merges a JSON cell of an export into the metadata. Returns other cells unchanged, so that the service rejects them.
 */
function withMetadata(before: unknown, cell: unknown): unknown {
  const own = parsed(cell);
  return typeof own === 'object' ? { ...(before as object), ...own } : cell;
}

function truth(value: unknown): unknown {
  const text = cellText(value).toLowerCase();
  if (['true', 'yes', '1'].includes(text)) return true;
  return ['false', 'no', '0'].includes(text) ? false : value;
}

/** Returns a cell as text. An object from NDJSON becomes JSON. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
