import { Client } from 'pg';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  // Only with this setting does a plan name the partitions that Postgres skipped.
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
};

/**
 * Watches the plans of all statements that this process sends to a database with hash partitions, also within triggers.
 */
export class PartitionPlans {
  /** The largest number of rows that one execution read, by statement. */
  readonly rowsRead = new Map<string, number>();
  /** The statements that touched several partitions of a table, with the tables. */
  readonly wide = new Map<string, string>();

  private constructor(private readonly tableOf: ReadonlyMap<string, string>) {}

  /** Watches connections that open from now on. */
  static async watch(url: string): Promise<PartitionPlans> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ partition: string; name: string }>(
      `SELECT inhrelid::regclass::text AS partition, inhparent::regclass::text AS name
       FROM pg_inherits JOIN pg_partitioned_table ON partrelid = inhparent AND partstrat = 'h'`,
    );
    const database = client.escapeIdentifier(new URL(url).pathname.slice(1));
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`ALTER DATABASE ${database} SET ${name} = ${client.escapeLiteral(value)}`);
    }
    await client.end();
    const plans = new PartitionPlans(new Map(rows.map(({ partition, name }) => [partition, name])));
    const { emit } = Client.prototype;
    const noting = function (this: Client, event: string | symbol, ...args: unknown[]) {
      if (event === 'notice') plans.note((args[0] as { message?: string }).message ?? '');
      return emit.call(this, event as string, ...args);
    };
    jest.spyOn(Client.prototype, 'emit').mockImplementation(noting as typeof emit);
    return plans;
  }

  private note(message: string): void {
    const begin = message.indexOf('plan:\n');
    if (begin < 0) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(begin + 'plan:\n'.length)) as {
      'Query Text': string;
      Plan: PlanNode;
    };
    const partitions = new Set(touched(plan).filter((name) => this.tableOf.has(name)));
    if (partitions.size === 0) return;
    const sql = text.replace(/\s+/g, ' ').trim();
    this.rowsRead.set(sql, Math.max(this.rowsRead.get(sql) ?? 0, rowsReadBy(plan, this.tableOf)));
    const tables = [...partitions].map((name) => this.tableOf.get(name));
    const wide = tables.filter((name, at) => tables.indexOf(name) < at);
    if (wide.length > 0) this.wide.set(sql, [...new Set(wide)].sort().join(', '));
  }
}

/** Lists the tables and indexes that a plan read or changed. */
function touched(node: PlanNode): string[] {
  if (node['Actual Loops'] === 0) return [];
  const { 'Relation Name': name, Plans: below = [] } = node;
  return [...(name === undefined ? [] : [name]), ...below.flatMap(touched)];
}

/** Counts the rows that a plan reads from partitions, including rows that a filter removed. */
function rowsReadBy(node: PlanNode, tableOf: ReadonlyMap<string, string>): number {
  const { 'Relation Name': name = '', 'Actual Rows': rows = 0, 'Actual Loops': loops = 0, Plans: below = [] } = node;
  const all = rows + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below.reduce((sum, each) => sum + rowsReadBy(each, tableOf), tableOf.has(name) ? all * loops : 0);
}
