/** A response of the fake. */
export interface GoogleReply {
  readonly status: number;
  /** An object is sent as JSON, a text as HTML. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the request has stored something, so that a test can drop the response. */
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

/** A rejection of a request, which has stored nothing. */
export class GoogleRejection extends Error {
  constructor(
    readonly status: number,
    /** Google's reason, such as `permissionDenied`. Google documents few reasons, so check the status instead. */
    readonly reason: string,
    message: string,
    /** One sentence for each schema violation of the body. */
    readonly problems: readonly string[] = [],
  ) {
    super(message);
  }

  /** Returns the error in Google's format. */
  reply(headers?: Readonly<Record<string, string>>): GoogleReply {
    const { status: code, reason, message } = this;
    const fieldViolations = this.problems.map((description) => ({ description }));
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

/** Rejects the request. @throws GoogleRejection 400 */
export function invalid(message: string, problems?: readonly string[]): never {
  throw new GoogleRejection(400, 'invalid', message, problems);
}

/** Rejects the request. @throws GoogleRejection 404 */
export function notFound(reason: 'resourceNotFound' | 'classNotFound', message: string): never {
  throw new GoogleRejection(404, reason, message);
}
