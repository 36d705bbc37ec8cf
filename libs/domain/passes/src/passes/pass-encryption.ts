import { Injectable } from '@nestjs/common';
import { type AccountKey, KeyMissing, newSalt, PersonalData, type RecordKey } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import type { Pass } from './pass.entity.js';

const COLUMN = 'pass.personal';
/** Carries the stored form from a read to the next write: copied with the pass, never serialised. */
const readAs = Symbol('read as');

/** The columns of an encrypted pass, and what they say. */
interface Encrypted {
  /** Null: the key is missing. */
  readonly salt: Buffer | null;
  readonly name: string | null;
  readonly columns: Pick<Pass, 'primaryValue' | 'personal'>;
}

type ReadPass = Pass & { [readAs]?: Encrypted };

/** The columns that tell what an encrypted pass says. */
export type StoredName = Pick<Pass, 'accountId' | 'serialNumber' | 'primaryValue' | 'personal' | 'salt'>;

/**
 * Encrypts and decrypts the names of members on their passes. Of an encrypted one the column `primaryValue` holds a digest
 * of the name, by which triggers see that it has changed. Other passes say what their account has put on them.
 */
@Injectable()
export class PassEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** Decrypts passes as they were read. */
  async openAll(passes: Pass[], tx?: EntityManager): Promise<Pass[]> {
    for (const pass of passes as ReadPass[]) {
      const { primaryValue, personal, salt } = pass;
      const name = await this.nameOn(pass, tx);
      pass.personal = undefined;
      pass.salt = undefined;
      const isRead = name !== null;
      if (personal) pass[readAs] = { salt: (isRead && salt) || null, name, columns: { primaryValue, personal } };
      pass.primaryValue = name;
    }
    return passes;
  }

  /** The primary value of a pass as it was read; null for one that has lost its key, as it was erased since the back-up. */
  async nameOn({ accountId, serialNumber, primaryValue, personal, salt }: StoredName, tx?: EntityManager) {
    if (!personal) return primaryValue;
    const key = salt && (await this.keys.find(accountId, tx));
    const opened = key && key.open<{ primary_value: string }>(recordOf(serialNumber, salt), COLUMN, personal);
    return opened?.primary_value ?? null;
  }

  /**
   * Passes of one account as they are written. Stores the keys of those that are encrypted now.
   * @throws KeyMissing when the name on one that has lost its key would change
   */
  async sealedAll(tx: EntityManager, passes: readonly Pass[]): Promise<Pass[]> {
    const [first] = passes;
    if (!first) return [];
    const isEncrypted = passes.some((pass: ReadPass) => pass[readAs]);
    const key = await (isEncrypted ? this.keys.find(first.accountId, tx) : this.keys.findForWrite(first.accountId, tx));
    const records: RecordKey[] = [];
    const sealed = passes.map((pass) => ({ ...pass, ...columnsOf(pass, key, records) }));
    await this.keys.put(tx, first.accountId, records);
    return sealed;
  }
}

/** @param records gets the record of a pass that has none yet */
function columnsOf(
  pass: ReadPass,
  key: AccountKey | null,
  records: RecordKey[],
): Pick<Pass, 'primaryValue' | 'personal'> {
  const { serialNumber, primaryValue, follows, [readAs]: before } = pass;
  // The same bytes, so that an update of something else stays in place.
  if (before && before.name === primaryValue) return before.columns;
  if (before && !(before.salt && key)) throw new KeyMissing();
  if (!key || primaryValue === null || !(before || follows === 'member')) return { primaryValue, personal: null };
  const record = recordOf(serialNumber, before?.salt ?? newSalt());
  if (!before) records.push(record);
  return {
    primaryValue: key.digestOf(record, 'primaryValue', primaryValue),
    // Named as the column, for the export of an account.
    personal: key.seal(record, COLUMN, { primary_value: primaryValue }),
  };
}

function recordOf(serialNumber: string, salt: Buffer): RecordKey {
  return { id: `pass:${serialNumber}`, salt };
}
