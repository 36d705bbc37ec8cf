import {
  type BatchLine,
  isPassExport,
  jsonParts,
  matchColumns,
  passOfLine,
  passOfRow,
  passProblems,
  type PassRequest,
  type Passwright,
  randomId,
  type RowTemplate,
} from '@passwright/client';
import type { Imported, ImportKind, Part, Sent } from './import-kind.js';

const parts: readonly Part[] = [
  ['id', 'Id'],
  ['code', 'Code'],
  ['validFrom', 'Valid from'],
  ['expiry', 'Valid until'],
  ['voided', 'Void'],
  ['language', 'Language'],
  ['group', 'Group'],
  ['group.order', 'Place in the group'],
  ['thumbnail', 'Thumbnail'],
];

/** Issues a pass of a template for each row of a file. */
export function passImport(api: Passwright, template: RowTemplate & { id: string }): ImportKind<PassRequest> {
  const { id: templateId } = template;
  /** The ids that this page has chosen, by row number. */
  const ids = new Map<number, string>();
  const chosen = new Set<string>();
  const { primary, own } = partsOf(template);
  return {
    one: 'pass',
    many: 'passes',
    results: ['id', 'walletAUrl', 'walletBUrl', 'webUrl'],
    parts: (column) => [
      ...primary,
      ...own,
      ...parts,
      [`metadata.${column.replace(/^metadata\./, '')}`, 'Metadata'],
      ['metadata', 'JSON: metadata'],
      ...jsonParts.map((part): Part => [part, `JSON: ${part}`]),
    ],
    required: primary,
    match: (columns) => matchColumns(columns, template),
    lineOf: (mapping, { number, cells: { error: _, ...cells } }) => {
      const pass = mapping ? passOfRow(mapping, cells, template, isPassExport(Object.keys(cells))) : passOfLine(cells);
      if (pass.id) return pass;
      const id = ids.get(number) ?? randomId();
      ids.set(number, id);
      chosen.add(id);
      return { ...pass, id };
    },
    problems: (pass) => passProblems(pass, template),
    send: (passes, signal) => sent(api, templateId, passes, { signal, chosen }),
    invalid: { id: '' },
  };
}

/** Returns the parts that depend on the template: the primary value and the fields. */
function partsOf({ primaryLabel, fields = [], backFields = [] }: RowTemplate): Record<'primary' | 'own', Part[]> {
  return {
    primary: primaryLabel === undefined ? [] : [['primaryValue', primaryLabel]],
    own: [
      ...fields.map(({ key, label }): Part => [`fields.${key}`, label || key]),
      ...backFields.map(({ key, label }): Part => [`backFields.${key}`, `${label || key} (back)`]),
    ],
  };
}

/** Sends passes. A pass with an id from this page does not count as existing, because an earlier attempt created it. */
async function* sent(
  api: Passwright,
  templateId: string,
  passes: Sent<PassRequest>,
  { signal, chosen }: { signal: AbortSignal; chosen: ReadonlySet<string> },
): AsyncGenerator<BatchLine<Imported>> {
  for await (const line of api.createPassesFrom({ templateId, existing: 'skip', signal }, passes)) {
    const { index, error } = line;
    if (error) yield { index, error };
    else {
      const { id, existing, walletAUrl, walletBUrl, webUrl } = line;
      const results = { id, walletAUrl, walletBUrl, webUrl };
      yield { index, results, ...(existing && !chosen.has(id) && { existing }) };
    }
  }
}
