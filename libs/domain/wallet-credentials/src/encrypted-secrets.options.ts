import type { MasterKey } from '@passwright/core';

/** Options of `EncryptedSecretsModule.forRoot`. */
export abstract class EncryptedSecretsOptions {
  /**
   * The keys that encrypt stored secrets, the same on every node. The first key encrypts; all keys decrypt. To replace
   * a key, put the new key first and restart the nodes. Remove the old key once the log reports, within an hour, that
   * every secret is re-encrypted.
   */
  abstract readonly masterKeys: readonly MasterKey[];
}
