/** A step of a query plan. Its counts are present only if the statement ran. */
export interface PlanStep {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanStep[];
}

/** Runs statements and returns their rows. */
interface Statements {
  query(sql: string, values?: unknown[]): Promise<unknown>;
}

/** Returns all steps of the plan of a statement, without running the statement. The first step contains the others. */
export function planOf(database: Statements, sql: string, values: unknown[]): Promise<PlanStep[]> {
  return explained(database, `EXPLAIN (FORMAT JSON) ${sql}`, values);
}

/** Works like `planOf`, but runs the statement, so that the steps have counts. */
export function analysedPlan(database: Statements, sql: string, values: unknown[]): Promise<PlanStep[]> {
  return explained(database, `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, values);
}

/** Returns the greatest number of rows that a step of an analysed plan reads. */
export function mostRowsRead(steps: readonly PlanStep[]): number {
  return Math.max(
    ...steps.map((step) => (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops']),
  );
}

async function explained(database: Statements, sql: string, values: unknown[]): Promise<PlanStep[]> {
  const [row] = (await database.query(sql, values)) as { 'QUERY PLAN': [{ Plan: PlanStep }] }[];
  if (!row) throw new Error('The database has returned no plan');
  return stepsOf(row['QUERY PLAN'][0].Plan);
}

function stepsOf(step: PlanStep): PlanStep[] {
  return [step, ...(step.Plans ?? []).flatMap(stepsOf)];
}
