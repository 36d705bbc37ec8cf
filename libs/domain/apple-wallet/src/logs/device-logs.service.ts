import { Injectable, Logger } from '@nestjs/common';
import { Clock, randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { HeldPassesRepository } from '@passwright/passes';
import { DeviceLogsRepository, type NewLogLine } from './device-logs.repository.js';
import { takenLines } from './log-lines.js';

/** Stores log lines from devices if the lines name a pass of this service. */
@Injectable()
export class DeviceLogsService {
  private readonly logger = new Logger('Devices');

  constructor(
    private readonly database: Database,
    private readonly repository: DeviceLogsRepository,
    private readonly passes: HeldPassesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the lines that name a pass. Keeps only the newest 50 lines of each pass. The lines are untrusted text,
   * because anyone can send them.
   */
  async take(logs: readonly string[]): Promise<void> {
    const lines = takenLines(logs);
    const candidates = [...new Set(lines.flatMap((line) => line.candidates))];
    const passes = candidates.length > 0 ? await this.passes.findNamed(candidates) : [];
    const now = this.clock.now();
    const time = now.getTime().toString(36).padStart(9, '0');
    const stored = lines.flatMap(({ line, candidates: named }, index): NewLogLine[] => {
      const id = `${time}.${String(index).padStart(3, '0')}.${randomId().slice(0, 10)}`;
      return passes.filter(({ serialNumber }) => named.includes(serialNumber)).map((pass) => ({ ...pass, id, line }));
    });
    this.logger.debug(`A device sent ${logs.length} lines, of which ${stored.length} name passes`);
    if (stored.length === 0) return;
    await this.database.transaction((tx) => this.repository.insert(tx, stored, now));
    // Use a separate transaction, so that the last of several simultaneous requests sees the lines of all others.
    await this.database.transaction((tx) => this.repository.prune(tx, passes));
  }
}
