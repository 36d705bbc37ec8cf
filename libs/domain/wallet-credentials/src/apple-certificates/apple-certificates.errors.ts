import { appError } from '@passwright/core';

/** 409: installed passes have another pass type than the certificate, so they would never update again. */
export class PassTypeDiffers extends appError(409, 'invalid_transition') {
  constructor(present: string, uploaded: string, wayOut: string) {
    super(
      `The certificate is for the pass type "${uploaded}", but the passes of this account belong to "${present}": ` +
        `Apple Wallet takes updates under the pass type that a pass was added with only, so installed passes would never ` +
        `update again. Renew it under "${present}"; ${wayOut}`,
    );
  }
}

/** 409: devices are registered for passes of the certificate. */
export class AppleCertificateInUse extends appError(409, 'invalid_transition') {
  constructor(passTypeIdentifier: string, devices: number) {
    const are = devices === 1 ? '1 device is' : `${devices} devices are`;
    super(
      `${are} registered for passes of "${passTypeIdentifier}", which would never update again without this certificate: ` +
        'it can be removed once those passes have been removed from the devices.',
    );
  }
}

/** 404: the account has no certificate of its own. */
export class NoAppleCertificate extends appError(404, 'not_found') {
  constructor() {
    super('The account has no Apple Wallet certificate of its own; PUT /v1/account/walletA brings one.');
  }
}
