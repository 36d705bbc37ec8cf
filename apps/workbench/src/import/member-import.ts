import { type ColumnMapping, cellText, type NewMemberRequest, type Passwright } from '@passwright/client';
import type { ImportKind, Part } from './import-kind.js';

const required: readonly Part[] = [
  ['email', 'E-mail'],
  ['name', 'Name'],
];
const parts: readonly Part[] = [...required, ['status', 'Status'], ['expiry', 'Ends']];

const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Creates a member for each row of a file. Columns that are not parts of a member go into the member's data. */
export function memberImport(api: Passwright): ImportKind<NewMemberRequest> {
  return {
    one: 'member',
    many: 'members',
    results: ['id', 'passId', 'walletAUrl', 'walletBUrl', 'webUrl'],
    required,
    parts: (column) => [...parts, [`data.${column}`, 'Data']],
    // A file of rejected rows has a column with errors.
    match: (columns) =>
      Object.fromEntries(
        columns
          .filter((column) => column !== 'error')
          .map((column) => [parts.find(([part]) => part === bare(column))?.[0] ?? `data.${column}`, column]),
      ),
    lineOf: (mapping, { cells: { error: _, ...cells } }) =>
      (mapping ? memberOf(mapping, cells) : cells) as unknown as NewMemberRequest,
    problems: null,
    async *send(members, signal) {
      for await (const line of api.importMembersFrom({ existing: 'skip', signal }, members)) {
        const { index, error } = line;
        if (error) yield { index, error };
        else {
          const { id, passId, existing, links } = line;
          yield { index, results: { id: String(id), passId, ...links }, ...(existing && { existing }) };
        }
      }
    },
    invalid: { email: '', name: '' },
  };
}

function memberOf(mapping: ColumnMapping, cells: Readonly<Record<string, unknown>>): object {
  const filled = Object.entries(mapping)
    .map(([part, column]) => [part, cellText(cells[column]).trim()] as const)
    .filter(([, text]) => text !== '');
  const data = filled.filter(([part]) => part.startsWith('data.')).map(([part, text]) => [part.slice(5), text]);
  const own = filled.filter(([part]) => !part.startsWith('data.'));
  return { ...Object.fromEntries(own), ...(data.length > 0 && { data: Object.fromEntries(data) as object }) };
}
