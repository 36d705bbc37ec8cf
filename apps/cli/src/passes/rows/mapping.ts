import { type ColumnMapping, matchColumns, partGroups, passParts, type RowTemplate } from '@passwright/client';
import { Failure, WrongUsage } from '../../failures.js';

/** The warning that an import creates redeemed passes as not redeemed. */
export const REDEEMED_AGAIN = 'an import creates passes that can be redeemed again.';

/** Parses an option such as `--map primaryValue=Name`. @throws WrongUsage for any other form */
export function readMapOption(text: string, before: ColumnMapping = {}): ColumnMapping {
  const at = text.indexOf('=');
  const [target, column] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at <= 0 || column === '') {
    throw new WrongUsage(`--map ${text} is not <part>=<column>.`, 'For example --map primaryValue=Name');
  }
  return { ...before, [checkedTarget(target)]: column };
}

/** Validates the content of a mapping file: a column for each part. @throws WrongUsage */
export function checkedMapping(value: unknown, path: string): ColumnMapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new WrongUsage(
      `${path} is not a mapping.`,
      'A mapping has lines such as "primaryValue: Name" or "fields.seat: Seat No".',
    );
  }
  const entries = Object.entries(value).flatMap(([target, column]): [string, string][] => {
    if (typeof column === 'string') return [[checkedTarget(target), column]];
    // The value may be a group: `fields:` with one key on each line below.
    if (isGroup(target) && typeof column === 'object' && column !== null) {
      return Object.entries(column as object).map(([key, name]) => [checkedTarget(`${target}.${key}`), String(name)]);
    }
    throw new WrongUsage(`${path}: "${target}" must be the name of a column.`);
  });
  return Object.fromEntries(entries);
}

const isGroup = (target: string) => partGroups.some((group) => group === target);

function checkedTarget(target: string): string {
  const [group = '', ...key] = target.split('.');
  if (passParts.some((part) => part === target)) return target;
  if (isGroup(group) && key.join('.') !== '') return target;
  throw new WrongUsage(
    `"${target}" is not a part of a pass that a column can fill.`,
    `The parts are ${passParts.join(', ')}, and fields.<key>, backFields.<key>, metadata.<name>.`,
  );
}

/**
 * Completes a mapping from the names of the columns.
 * @throws Failure if the mapping names a missing column
 */
export function completeMapping(
  given: ColumnMapping,
  columns: readonly string[],
  template: RowTemplate,
): ColumnMapping {
  for (const [target, column] of Object.entries(given)) {
    if (columns.includes(column)) continue;
    throw new Failure(
      `There is no column "${column}" for ${target}.`,
      `The columns are: ${columns.join(', ')}.`,
      'no_column',
    );
  }
  return matchColumns(columns, template, given);
}
