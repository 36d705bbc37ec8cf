import { appError, NotFound } from '@passwright/core';

/** 404: the operator has not configured an identity provider. */
export class OidcIsOff extends NotFound {
  constructor() {
    super('Sign-in by OpenID Connect is not set up on this service; log in with a password: POST /v1/auth/login.');
  }
}

/** 503: the identity provider does not respond, or responds incorrectly. The log has the details. */
export class IdentityProviderUnavailable extends appError(503, 'not_ready') {
  constructor() {
    super('The identity provider does not respond, or its response is invalid; try again in a minute.');
  }
}
