import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { In } from 'typeorm';
import { DeletedPass } from '../deletion/deleted-pass.entity.js';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { Pass } from '../content/pass.entity.js';

/** Passes of an account and tombstones of deleted passes, by serial number. */
export interface PassContents {
  readonly passes: ReadonlyMap<string, Pass>;
  readonly deleted: ReadonlyMap<string, DeletedPass>;
}

/** Reads the full content of many passes for a wallet. */
@Injectable()
export class PassContentsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryptionService,
  ) {}

  async read(accountId: string, serials: readonly string[]): Promise<PassContents> {
    const { reads } = this.database;
    // Read the passes first, so that the second read finds a pass that is deleted in between.
    const passes = await this.encryption.openAll(await reads.findBy(Pass, { accountId, serialNumber: In(serials) }));
    const known = new Set(passes.map(({ serialNumber }) => serialNumber));
    const missing = serials.filter((serial) => !known.has(serial));
    const deleted = missing.length > 0 ? await reads.findBy(DeletedPass, { accountId, serialNumber: In(missing) }) : [];
    return {
      passes: new Map(passes.map((pass) => [pass.serialNumber, pass])),
      deleted: new Map(deleted.map((pass) => [pass.serialNumber, pass])),
    };
  }
}
