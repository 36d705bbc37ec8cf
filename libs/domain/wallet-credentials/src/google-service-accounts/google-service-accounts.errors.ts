import { appError } from '@passwright/core';

/** 409: passes at Google belong to another issuer and would never update again. */
export class IssuerDiffers extends appError(409, 'invalid_transition') {
  constructor(present: string, uploaded: string) {
    super(
      `Passes of this account are at Google under the issuer ${present}, and a pass never changes its issuer: those that ` +
        `holders have saved would never update again under ${uploaded}. To go on nevertheless, send "replaceIssuer": true; ` +
        'passes that are saved from then on belong to the new issuer.',
    );
  }
}

/** 404: the account has no service account of its own. */
export class NoGoogleServiceAccount extends appError(404, 'not_found') {
  constructor() {
    super('The account has no Google Wallet issuer of its own; PUT /v1/account/walletB brings one.');
  }
}
