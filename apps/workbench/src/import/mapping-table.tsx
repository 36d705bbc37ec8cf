import { cellText, type ColumnMapping } from '@passwright/client';
import type { TableFile } from '../model/table/table-file.js';
import { Table } from '../ui/table.js';
import type { ImportKind } from './import-kind.js';

interface MappingProps {
  readonly table: TableFile;
  readonly kind: Pick<ImportKind, 'one' | 'parts'>;
  /** Null if each line of the file is a pass or member already. */
  readonly mapping: ColumnMapping | null;
  readonly onChange: (mapping: ColumnMapping) => void;
}

/** The columns of a file, each with its first cells and the part that it becomes. */
export function MappingTable({ table, kind, mapping, onChange }: MappingProps) {
  if (!table.columns || !mapping) return <FirstLines table={table} one={kind.one} />;
  const partOf = (column: string) => Object.entries(mapping).find(([, name]) => name === column)?.[0] ?? '';
  /** Gives a part to a column. The column that had the part before becomes unused. */
  const choose = (column: string, part: string) => {
    const others = Object.entries(mapping).filter(([other, name]) => other !== part && name !== column);
    onChange(Object.fromEntries(part === '' ? others : [...others, [part, column]]));
  };
  return (
    <Table
      rows={table.columns}
      keyOf={(column) => column}
      columns={[
        { head: 'Column', cell: (column) => <strong>{column}</strong> },
        { head: 'First rows', class: 'muted', isLabelled: true, cell: (column) => examplesOf(table, column) },
        {
          head: 'Becomes',
          cell: (column) => (
            <select
              aria-label={`${column} becomes`}
              value={partOf(column)}
              onChange={({ currentTarget }) => choose(column, currentTarget.value)}
            >
              {[['', 'Not used'] as const, ...kind.parts(column)].map(([part, label]) => (
                <option key={part} value={part} selected={part === partOf(column)}>
                  {label}
                </option>
              ))}
            </select>
          ),
        },
      ]}
    />
  );
}

function examplesOf({ first }: TableFile, column: string): string {
  return first.map(({ cells }) => cellText(cells[column]) || '–').join(' · ');
}

function FirstLines({ table, one }: { table: TableFile; one: string }) {
  return (
    <>
      <p class="muted">Each line is a {one} as the API takes it. The first lines:</p>
      <ul class="rows">
        {table.first.map(({ number, cells, problem }) => (
          <li key={number}>
            <code>{problem ?? JSON.stringify(cells)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
