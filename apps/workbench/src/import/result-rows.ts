import { cellText, csvLine } from '@passwright/client';
import type { Row, TableFile } from '../model/table/table-file.js';

/** Copies of the rows of a table with their results, as text in the format of the table. */
export class ResultRows {
  private readonly lines: string[] = [];
  /** The columns of the table that the results do not replace. */
  private readonly own: readonly string[];

  constructor(
    private readonly table: TableFile,
    private readonly added: readonly string[],
  ) {
    this.own = table.columns?.filter((column) => !added.includes(column)) ?? [];
    if (table.columns) this.lines.push(csvLine([...this.own, ...added]));
  }

  add({ cells }: Row, result: Readonly<Record<string, string>>): void {
    // Remove the error that an earlier import of the same rows may have left.
    const all: Row['cells'] = { ...cells, error: undefined, ...result };
    this.lines.push(
      this.table.columns
        ? csvLine([...this.own, ...this.added].map((column) => cellText(all[column])))
        : `${JSON.stringify(all)}\n`,
    );
  }

  /** Returns the file. @param kind the middle part of its name: `people.rejected.csv` */
  file(kind: string): File {
    const { file, columns } = this.table;
    const [, stem = '', ending = ''] = /^(.*?)(\.\w+)?$/.exec(file.name) ?? [];
    const type = columns ? 'text/csv' : 'application/x-ndjson';
    return new File(this.lines, `${stem}.${kind}${ending}`, { type });
  }
}
