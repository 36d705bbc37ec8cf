/** A table partitioned by time, whose old partitions are dropped as a whole. */
export interface PartitionedTable {
  readonly name: string;
  /** The partition key. */
  readonly key: string;
  /** The time span of one partition. Partitions begin at midnight UTC, and weeks on Monday. */
  readonly each: 'day' | 'week' | 'month';
  /** The number of partitions created in advance. */
  readonly ahead: number;
  /** Returns the lowest partition key for a time. Default: the time itself. */
  readonly keyAt?: (at: Date) => string;
}

/** Returns the end of the partition that contains a time. */
export function partitionEnd({ each }: Pick<PartitionedTable, 'each'>, at: Date): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (each === 'month') return new Date(Date.UTC(year, month + 1, 1));
  const days = each === 'day' ? 1 : 7 - ((at.getUTCDay() + 6) % 7);
  return new Date(Date.UTC(year, month, day + days));
}

/** Returns the name of the partition with this end. */
export function partitionName(table: string, end: Date): string {
  return `${table}_before_${end.toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/** Returns the end of the partition with this name; null for the default partition. */
export function endOfPartition(name: string): Date | null {
  const [, year, month, day] = /_before_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year && month && day ? new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))) : null;
}
