import { Injectable } from '@nestjs/common';
import { type AccountKey, KeyMissing, newSalt, PersonalData, type RecordKey } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import type { Pass } from './pass.entity.js';

const COLUMN = 'pass.personal';
/**
 * The property in which a pass keeps its stored form for the next write. Copies of the pass have it too, but its JSON
 * does not.
 */
const readAs = Symbol('read as');

/** The columns of an encrypted pass, and the decrypted name. */
interface Encrypted {
  /** The salt of the key; null if the key is missing. */
  readonly salt: Buffer | null;
  readonly name: string | null;
  readonly columns: Pick<Pass, 'primaryValue' | 'personal'>;
}

type ReadPass = Pass & { [readAs]?: Encrypted };

/** The columns from which the primary value can be decrypted. */
export type StoredName = Pick<Pass, 'accountId' | 'serialNumber' | 'primaryValue' | 'personal' | 'salt'>;

/**
 * Encrypts and decrypts the names of members on their passes. For an encrypted pass, the column `primaryValue` contains
 * a digest of the name, from which triggers detect changes. Other passes store the plain value.
 */
@Injectable()
export class PassEncryptionService {
  constructor(private readonly keys: PersonalData) {}

  /** Decrypts passes that were read from the database. */
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

  /** Returns the primary value of a stored pass; null if its key is missing, for example after an erasure. */
  async nameOn({ accountId, serialNumber, primaryValue, personal, salt }: StoredName, tx?: EntityManager) {
    if (!personal) return primaryValue;
    const key = salt && (await this.keys.find(accountId, tx));
    const opened = key && key.open<{ primary_value: string }>(recordOf(serialNumber, salt), COLUMN, personal);
    return opened?.primary_value ?? null;
  }

  /**
   * Returns passes of one account in encrypted form, and stores the keys of newly encrypted passes.
   * @throws KeyMissing if the name changes on a pass whose key is missing
   */
  async encryptedAll(tx: EntityManager, passes: readonly Pass[]): Promise<Pass[]> {
    const [first] = passes;
    if (!first) return [];
    const isEncrypted = passes.some((pass: ReadPass) => pass[readAs]);
    const key = await (isEncrypted ? this.keys.find(first.accountId, tx) : this.keys.findForWrite(first.accountId, tx));
    const records: RecordKey[] = [];
    const encrypted = passes.map((pass) => ({ ...pass, ...columnsOf(pass, key, records) }));
    await this.keys.put(tx, first.accountId, records);
    return encrypted;
  }
}

/** Returns the encrypted columns of a pass. @param records collects the keys of passes that did not have a key */
function columnsOf(
  pass: ReadPass,
  key: AccountKey | null,
  records: RecordKey[],
): Pick<Pass, 'primaryValue' | 'personal'> {
  const { serialNumber, primaryValue, managedBy, [readAs]: before } = pass;
  // Keep the same bytes, so that an update of other columns does not change this one.
  if (before && before.name === primaryValue) return before.columns;
  if (before && !(before.salt && key)) throw new KeyMissing();
  if (!key || primaryValue === null || !(before || managedBy === 'member')) return { primaryValue, personal: null };
  const record = recordOf(serialNumber, before?.salt ?? newSalt());
  if (!before) records.push(record);
  return {
    primaryValue: key.digestOf(record, 'primaryValue', primaryValue),
    // Name the value after its column, because the export of an account uses this property name.
    personal: key.encrypt(record, COLUMN, { primary_value: primaryValue }),
  };
}

function recordOf(serialNumber: string, salt: Buffer): RecordKey {
  return { id: `pass:${serialNumber}`, salt };
}
