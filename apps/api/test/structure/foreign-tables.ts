import type { SourceFile } from './sources.js';

/** The owners of tables without an entity. */
const withoutEntity = {
  encryption_key: 'libs/domain/accounts',
  job_outbox: 'libs/platform/jobs',
  suspect_job: 'libs/platform/jobs',
  rate_limit: 'libs/platform/http',
};

/**
 * Lists the files whose SQL names a table that another project owns, as `file: table`. A table belongs to the project
 * of its entity. `withoutEntity` names the owners of the others.
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
  return new Map([
    ...Object.entries(withoutEntity),
    ...files.flatMap(({ project, text }) =>
      [...text.matchAll(/@Entity\((?:\{ name: )?'([a-z_]+)'/g)].map((match): [string, string] => [match[1]!, project]),
    ),
  ]);
}

/** Returns the distinct names after words such as FROM, JOIN and INTO in the SQL of a file. */
function tablesIn(text: string): string[] {
  const named = text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|TABLE|USING|ONLY)\s+(?:ONLY\s+)?"?([a-z_]+)"?(?!\w|\()/g);
  return [...new Set([...named].map((match) => match[1]!))].sort();
}
