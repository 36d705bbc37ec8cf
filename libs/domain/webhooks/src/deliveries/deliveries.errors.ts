import { appError, InvalidTransition, ValidationFailed } from '@passwright/core';

/** 404: nothing of this id has happened in the account, or it is not kept any more. */
export class EventNotFound extends appError(404, 'not_found') {
  constructor(eventId: string) {
    super(`There is no event "${eventId.slice(0, 64)}", or it is older than what is kept.`);
  }
}

/** 409: nothing is sent to a webhook that is disabled. */
export class WebhookIsDisabled extends InvalidTransition {
  constructor() {
    super('The webhook is disabled: PATCH it with {"enabled": true} first.');
  }
}

/** 400: a period has more than are replayed at once. */
export class TooManyToReplay extends ValidationFailed {
  constructor(atMost: number) {
    super(`since and until must be closer to each other: there are more than ${atMost} between, the most at once`);
  }
}
