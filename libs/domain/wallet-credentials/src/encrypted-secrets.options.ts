import type { MasterKey } from '@passwright/core';

/** Options of `EncryptedSecretsModule.forRoot`. */
export abstract class EncryptedSecretsOptions {
  /**
   * The keys that encrypt stored secrets, the same on every node. The first one encrypts; all decrypt. To replace one,
   * put the new key first and restart. You can remove the old key once the log reports that every secret is
   * re-encrypted, within an hour.
   */
  abstract readonly masterKeys: readonly MasterKey[];
}
