import type { PassRequest } from '@passwright/client';
import { Failure, WrongUsage } from '../failures.js';

/** The parts of a pass that a cell can set, in addition to `fields.<key>`, `backFields.<key>` and `metadata.<name>`. */
const named = ['id', 'code', 'primaryValue', 'validFrom', 'expiry', 'thumbnail', 'voided', 'metadata'] as const;
/** Parts that a cell has as JSON. Fields that a cell lists replace those of other columns. */
export const structured = ['fields', 'backFields', 'locations', 'translations', 'actions', 'linkedPasses'] as const;
/**
 * All parts. A column called "language" or "group" may hold anything, so an import sets these parts only on request.
 */
const properties = [...named, 'language', 'group', 'group.order', ...structured] as const;
type Property = (typeof properties)[number];
type Group = 'fields' | 'backFields' | 'metadata';
const groups: readonly Group[] = ['fields', 'backFields', 'metadata'];

/** The columns of an export that cannot be set. */
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

/** The consequence of the fact that an import cannot set `redeemedAt`. */
export const REDEEMED_AGAIN = 'an import makes passes that can be redeemed again.';

/** Columns that identify an export if a file has all of them. */
const ofExports = ['createdAt', 'updatedAt', 'walletAUrl', 'walletBUrl', 'webUrl'];

/** Common column names in lower case without spaces and punctuation. */
const aliases: Readonly<Record<string, Property>> = {
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
export type Mapping = Readonly<Record<string, string>>;

/** The part of a template that is matched with columns. */
export interface MappedTemplate {
  readonly type: string;
  readonly primaryLabel?: string;
  readonly fields: readonly { readonly key: string; readonly label: string }[];
  readonly backFields: readonly { readonly key: string; readonly label: string }[];
}

/** Converts a template from the service, which omits empty lists of fields. */
export function mappedTemplate(
  template: Pick<MappedTemplate, 'type' | 'primaryLabel'> & Partial<Pick<MappedTemplate, 'fields' | 'backFields'>>,
): MappedTemplate {
  const { type, primaryLabel, fields = [], backFields = [] } = template;
  return { type, fields, backFields, ...(primaryLabel !== undefined && { primaryLabel }) };
}

/** Parses an option such as `--map primaryValue=Name`. @throws WrongUsage for any other form */
export function readMapOption(text: string, before: Mapping = {}): Mapping {
  const at = text.indexOf('=');
  const [target, column] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at <= 0 || column === '') {
    throw new WrongUsage(`--map ${text} is not <part>=<column>.`, 'For example --map primaryValue=Name');
  }
  return { ...before, [checkedTarget(target)]: column };
}

/** Validates the content of a mapping file: a column for each part. @throws WrongUsage */
export function checkedMapping(value: unknown, path: string): Mapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WrongUsage(
      `${path} is no mapping.`,
      'It has lines such as "primaryValue: Name" or "fields.seat: Seat No".',
    );
  }
  const entries = Object.entries(value).flatMap(([target, column]): [string, string][] => {
    if (typeof column === 'string') return [[checkedTarget(target), column]];
    // The file may have `fields:` with its keys on the lines below.
    if (groups.includes(target as Group) && typeof column === 'object' && column !== null) {
      return Object.entries(column as object).map(([key, name]) => [checkedTarget(`${target}.${key}`), String(name)]);
    }
    throw new WrongUsage(`${path}: "${target}" must be the name of a column.`);
  });
  return Object.fromEntries(entries);
}

function checkedTarget(target: string): string {
  const [group, ...key] = target.split('.');
  if (properties.includes(target as Property)) return target;
  if (groups.includes(group as Group) && key.join('.') !== '') return target;
  throw new WrongUsage(
    `"${target}" is no part of a pass that a column can fill.`,
    `There are ${properties.join(', ')}, and fields.<key>, backFields.<key>, metadata.<name>.`,
  );
}

/** Returns true for the columns of an export, whose names and cells are exactly those of passes. */
export function isExport(columns: readonly string[] | null): boolean {
  return ofExports.every((name) => columns?.includes(name));
}

/**
 * Completes a mapping: takes given columns first, then columns named after parts of a pass or after keys and labels of
 * the template's fields. @throws Failure if a given column is missing
 */
export function completeMapping(given: Mapping, columns: readonly string[], template: MappedTemplate): Mapping {
  for (const [target, column] of Object.entries(given)) {
    if (columns.includes(column)) continue;
    throw new Failure(
      `There is no column "${column}" for ${target}.`,
      `There are: ${columns.join(', ')}.`,
      'no_column',
    );
  }
  const mapping: Record<string, string> = { ...given };
  const isExported = isExport(columns);
  for (const column of columns) {
    if (Object.values(mapping).includes(column)) continue;
    const exported = isExported ? properties.find((known) => known === column) : undefined;
    const target = exported ?? targetOf(column, template);
    if (target && mapping[target] === undefined) mapping[target] = column;
  }
  return mapping;
}

const bare = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}.]/gu, '');

function targetOf(column: string, template: MappedTemplate): string | null {
  const name = bare(column);
  const group = groups.find((known) => column.startsWith(`${known}.`));
  if (group) return column;
  const property = named.find((known) => bare(known) === name);
  if (property) return property;
  const takesPrimary = template.primaryLabel !== undefined;
  if (takesPrimary && bare(template.primaryLabel) === name) return 'primaryValue';
  for (const side of ['fields', 'backFields'] as const) {
    const field = template[side].find(({ key, label }) => bare(key) === name || bare(label) === name);
    if (field) return `${side}.${field.key}`;
  }
  const alias = aliases[name];
  return alias && (alias !== 'primaryValue' || takesPrimary) ? alias : null;
}

/**
 * Builds the pass of a row. Empty cells are ignored, so that the template's own value applies.
 * @param isExact true keeps spaces around texts, as an export has them
 */
export function passOf(
  mapping: Mapping,
  cells: Readonly<Record<string, unknown>>,
  template: MappedTemplate,
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
    if (structured.some((part) => part === target)) lists.set(target, parsed(value));
    else if (group === 'group') pass.group = { ...(pass.group as object), ...groupPart(key, value) };
    else if (target === 'metadata') pass.metadata = withMetadata(pass.metadata, value);
    else if (key === '') pass[target] = target === 'voided' ? truth(value) : textOf(value);
    else if (group === 'metadata') pass.metadata = { ...(pass.metadata as object), [key]: value };
    else {
      const label = template[group as 'fields' | 'backFields'].find((field) => field.key === key)?.label ?? column;
      pass[group] = [...((pass[group] as object[]) ?? []), { key, label, value: textOf(value) }];
    }
  }
  return { ...pass, ...Object.fromEntries(lists) };
}

/** Parses a JSON cell. Returns any other text as it is, which the service rejects with a reason. */
function parsed(cell: unknown): unknown {
  try {
    return typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
  } catch {
    return cell;
  }
}

/** Returns the id of a group, or the place in it. The service rejects anything that is not a whole number. */
function groupPart(key: string, value: unknown): object {
  const text = textOf(value);
  return key === 'order' ? { order: /^\d+$/.test(text) ? Number(text) : value } : { id: text };
}

/** Returns the pass of a line that is already a pass, for example from an export. */
export function passOfLine(line: Readonly<Record<string, unknown>>): PassRequest {
  return Object.fromEntries(Object.entries(line).filter(([name, value]) => value !== null && !reported.includes(name)));
}

/** Merges a JSON cell of an export into the metadata. The service rejects anything that is not an object. */
function withMetadata(before: unknown, cell: unknown): unknown {
  const own = parsed(cell);
  return typeof own === 'object' ? { ...(before as object), ...own } : cell;
}

function truth(value: unknown): unknown {
  const text = textOf(value).toLowerCase();
  if (['true', 'yes', '1'].includes(text)) return true;
  return ['false', 'no', '0'].includes(text) ? false : value;
}

/** Returns a cell as text. An object from NDJSON becomes JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
