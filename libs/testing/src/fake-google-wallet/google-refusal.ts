/** What the stand-in answers. */
export interface GoogleReply {
  readonly status: number;
  /** An object goes out as JSON, a text as HTML. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether something was stored: then the answer may get lost on purpose. */
  readonly stored?: boolean;
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** A request that Google would not fulfil: nothing has been stored. */
export class GoogleRefusal extends Error {
  constructor(
    readonly status: number,
    /** As in Google's answer: `permissionDenied`. Published for few cases; tell cases apart by the status. */
    readonly reason: string,
    message: string,
    /** Of a body that breaks the schema: one sentence each. */
    readonly faults: readonly string[] = [],
  ) {
    super(message);
  }

  /** Google's envelope. */
  reply(headers?: Readonly<Record<string, string>>): GoogleReply {
    const { status: code, reason, message } = this;
    const fieldViolations = this.faults.map((description) => ({ description }));
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
    const error = {
      code,
      message,
      errors: [{ message, domain: 'walletobjects', reason }],
      ...(statusNames[code] && { status: statusNames[code] }),
      ...(fieldViolations.length > 0 && { details }),
    };
    return { status: code, body: { error }, headers };
  }
}

/** @throws GoogleRefusal 400 */
export function invalid(message: string, faults?: readonly string[]): never {
  throw new GoogleRefusal(400, 'invalid', message, faults);
}

/** @throws GoogleRefusal 404 */
export function notFound(reason: 'resourceNotFound' | 'classNotFound', message: string): never {
  throw new GoogleRefusal(404, reason, message);
}
