import { appError, InvalidTransition, ValidationFailed } from '@passwright/core';

/** 404: the account has no event with this id, or the event is no longer stored. */
export class EventNotFound extends appError(404, 'not_found') {
  constructor(eventId: string) {
    super(`There is no event "${eventId.slice(0, 64)}", or it is no longer stored.`);
  }
}

/** 409: the webhook is disabled, so nothing is sent to it. */
export class WebhookIsDisabled extends InvalidTransition {
  constructor() {
    super('The webhook is disabled: PATCH it with {"enabled": true} first.');
  }
}

/** 400: the period contains more events than one replay allows. */
export class TooManyToReplay extends ValidationFailed {
  constructor(atMost: number) {
    super(`since and until must be closer to each other: there are more than ${atMost} between, the most at once`);
  }
}
