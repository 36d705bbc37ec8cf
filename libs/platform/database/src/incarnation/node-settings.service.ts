import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { Database } from '../database.js';
import { IncarnationOptions } from './incarnation.options.js';

/** Returns the names of the settings in which this node differs from the node that started last. */
export async function differingSettings(
  reads: Pick<EntityManager, 'query'>,
  settings: Readonly<Record<string, string>>,
): Promise<string[]> {
  const [row] = await reads.query<{ stored: Record<string, string> }[]>(
    'SELECT node_settings AS stored FROM incarnation',
  );
  const names = Object.keys(settings);
  return names.filter((name) => row?.stored[name] !== undefined && row.stored[name] !== settings[name]);
}

/** Warns when a node starts with other settings than the node that started before it, and records its own. */
@Injectable()
export class NodeSettings implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(
    private readonly database: Database,
    private readonly options: IncarnationOptions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { settings, watch } = this.options;
    if (!settings || watch === false) return;
    try {
      for (const name of await differingSettings(this.database.reads, settings)) {
        this.logger.warn(
          `${name} is not that of the node that started last. Nodes that differ reject each other's tokens or hand out ` +
            'different links. If you have just replaced it, restart all other nodes. Otherwise give this node their value.',
        );
      }
      await this.record(settings);
    } catch (error) {
      this.logger.warn(`The settings cannot be compared with those of other nodes: ${loggedError(error).message}`);
    }
  }

  private async record(settings: Readonly<Record<string, string>>): Promise<void> {
    const sql =
      'UPDATE incarnation SET node_settings = node_settings || $1::jsonb WHERE NOT node_settings @> $1::jsonb';
    await this.database.transaction((tx) => tx.query(sql, [JSON.stringify(settings)]));
  }
}
