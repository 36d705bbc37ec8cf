import type { MasterKey } from '@passwright/core';

/** What `EncryptedSecretsModule.forRoot` takes. */
export abstract class EncryptedSecretsOptions {
  /**
   * Private keys are kept sealed under these: the first one seals, all of them open. The same on every node. To replace
   * one, put the new one first and restart; once every secret is sealed anew (within an hour, the log says so) the old one
   * can be dropped.
   */
  abstract readonly masterKeys: readonly MasterKey[];
}
