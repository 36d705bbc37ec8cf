import type { ComponentChildren } from 'preact';

/** A column of a list. On a phone each row is a block, and cells with `isLabelled` name their column. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (item: T) => ComponentChildren;
  readonly class?: string;
  readonly isLabelled?: boolean;
}

interface TableProps<T> {
  readonly rows: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** The buttons of a row, in a last column without a visible heading. */
  readonly actions?: (item: T) => ComponentChildren;
}

/** Shows a list as a table, with one row for each item. */
export function Table<T>({ rows, keyOf, columns, actions }: TableProps<T>) {
  return (
    <table class="list">
      <thead>
        <tr>
          {columns.map(({ head }) => (
            <th key={head}>{head}</th>
          ))}
          {actions && (
            <th>
              <span class="hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((item) => (
          <tr key={keyOf(item)}>
            {columns.map(({ head, cell, class: name, isLabelled }) => (
              <td key={head} class={name} data-label={isLabelled ? head : undefined}>
                {cell(item)}
              </td>
            ))}
            {actions && <td class="row-actions">{actions(item)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
