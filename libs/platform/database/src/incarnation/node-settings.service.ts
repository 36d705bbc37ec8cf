import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { Database } from '../database.js';
import { IncarnationOptions } from './incarnation.options.js';

type Settings = Readonly<Record<string, string>>;

interface StoredSettings {
  readonly stored: Settings;
}

const storedSql = 'SELECT node_settings AS stored FROM incarnation';

/** Returns the names of the settings in which this node differs from the node that started last. */
export async function differingSettings(reads: Pick<EntityManager, 'query'>, settings: Settings): Promise<string[]> {
  return differences(await reads.query<StoredSettings[]>(storedSql), settings);
}

function differences([row]: readonly StoredSettings[], settings: Settings): string[] {
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
      for (const name of await this.record(settings)) {
        this.logger.warn(
          `${name} differs from the node that started last. Nodes that differ reject each other's tokens or hand out ` +
            'different links. If you have just replaced it, restart all other nodes. Otherwise set the value of the ' +
            'other nodes here.',
        );
      }
    } catch (error) {
      this.logger.warn(`The settings cannot be compared with those of other nodes: ${loggedError(error).message}`);
    }
  }

  /** Records the settings. @returns the names of those that differ from the recorded ones */
  private record(settings: Settings): Promise<string[]> {
    const sql =
      'UPDATE incarnation SET node_settings = node_settings || $1::jsonb WHERE NOT node_settings @> $1::jsonb';
    return this.database.transaction(async (tx) => {
      // Nodes that start at the same time compare one after the other. This lock lets `lockIncarnation` pass.
      const rows = await tx.query<StoredSettings[]>(`${storedSql} FOR NO KEY UPDATE`);
      await tx.query(sql, [JSON.stringify(settings)]);
      return differences(rows, settings);
    });
  }
}
