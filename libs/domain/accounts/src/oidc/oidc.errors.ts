import { appError, NotFound } from '@passwright/core';

/** 404: the operator has set up no identity provider. */
export class OidcIsOff extends NotFound {
  constructor() {
    super('Sign-in by OpenID Connect is not set up on this service; log in with a password: POST /v1/auth/login.');
  }
}

/** 503: the identity provider does not answer, or not as it should; the log says what it was. */
export class IdentityProviderUnavailable extends appError(503, 'not_ready') {
  constructor() {
    super('The identity provider cannot be used now: it does not answer, or not as it should; try again in a minute.');
  }
}
