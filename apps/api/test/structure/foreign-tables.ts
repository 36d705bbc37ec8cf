import type { SourceFile } from './sources.js';

/**
 * Lists the files whose SQL names a table that another project owns, as `file: table`. The owner is the project with
 * the table's entity.
 */
export function foreignTables(files: SourceFile[]): string[] {
  const owners = tableOwners(files);
  return files.flatMap(({ path, project, text }) =>
    tablesIn(text)
      .filter((table) => owners.has(table) && owners.get(table) !== project)
      .map((table) => `${path}: ${table}`),
  );
}

/** Returns the project that owns each table. */
function tableOwners(files: SourceFile[]): Map<string, string> {
  return new Map(
    files.flatMap(({ project, text }) =>
      [...text.matchAll(/@Entity\((?:\{ name: )?'([a-z_]+)'/g)].map((match): [string, string] => [match[1]!, project]),
    ),
  );
}

/**
 * Returns the distinct names that follow FROM, JOIN, INTO, UPDATE and the like in any text of a file that contains SQL.
 */
function tablesIn(text: string): string[] {
  const named = text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING|ONLY)\s+(?:ONLY\s+)?"?([a-z_]+)"?(?!\w|\()/g);
  return [...new Set([...named].map((match) => match[1]!))].sort();
}
