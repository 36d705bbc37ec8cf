import type { SigningIdentity } from '@passwright/core';
import { FakeSigner } from '@passwright/testing';

/** A fake signer. Tests can replace its certificate. */
export class ReplaceableSigner extends FakeSigner {
  replaced: Partial<SigningIdentity> = {};

  override async identity(accountId: string): Promise<SigningIdentity> {
    return { ...(await super.identity(accountId)), ...this.replaced };
  }
}
