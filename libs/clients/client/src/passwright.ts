import { type BatchLine, type BatchRequest, LineBatches } from './line-batches.js';
import type { Lines } from './line-chunks.js';
import type { LineOperations, MemberLinks, NewMemberRequest, PassRequest, PassWithLinks } from './generated/api.js';
import { operations } from './generated/operations.js';
import type {
  ResponseOf,
  ItemOf,
  ListOperation,
  OperationMethods,
  Page,
  RequestArgument,
  RequestOf,
} from './operation-methods.js';
import type { PasswrightOptions } from './options.js';
import { type Call, type OperationId, Transport } from './transport.js';
import { randomId } from './random-id.js';

const responses = new WeakMap<object, ResponseMeta>();

/** The status and headers of a response, such as `X-Request-Id` and `RateLimit-Remaining`. */
export interface ResponseMeta {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Returns the status and headers of a response.
 * @param reply the original object from a call, not a copy
 */
export function responseOf(reply: object): ResponseMeta | undefined {
  return responses.get(reply);
}

/**
 * Returns the version of a response. Use it as `ifMatch`, so that a write does not overwrite later changes.
 * @param reply the original object from a call, not a copy
 */
export function etagOf(reply: object): string | undefined {
  return responses.get(reply)?.headers.get('ETag') ?? undefined;
}

/** The pass for a line of a batch. `existing` is true if the pass existed before. */
export type BatchedPass = Omit<PassWithLinks, 'pass'> & { id: string; existing?: true };
/** The member for a line of a batch. `existing` is true if the member existed before. */
export interface ImportedMember {
  id: number;
  templateId: string;
  passId: string;
  existing?: true;
  links: MemberLinks;
}

// The types of the methods come from the API document. The class below adds the methods to its prototype.
const OperationsBase = class {} as new () => OperationMethods;

/**
 * A client of one service, with a method for each operation id. The argument contains the path and query parameters,
 * and the request body as `body`. The result is the body of the response.
 */
export class Passwright extends OperationsBase {
  readonly #transport: Transport;

  constructor(options: PasswrightOptions) {
    super();
    this.#transport = new Transport(options);
  }

  static {
    for (const id of Object.keys(operations) as OperationId[]) {
      const value = function (this: Passwright, request: Call = {}) {
        return this.#call(id, request);
      };
      Object.defineProperty(this.prototype, id, { value, writable: true, configurable: true });
    }
  }

  async #call(id: OperationId, request: Call): Promise<unknown> {
    const { value, response } = await this.#transport.call(id, request);
    const { status, headers } = response;
    if (typeof value === 'object' && value) responses.set(value, { status, headers });
    return value;
  }

  /** Yields the pages of a list. Fetches a page only when the caller needs it, with 100 items unless `limit` is set. */
  async *pages<Id extends ListOperation>(
    operation: Id,
    ...[request]: RequestArgument<RequestOf<Id>>
  ): AsyncGenerator<Awaited<ResponseOf<Id>>, void, undefined> {
    const given = request as Call | undefined;
    let call: Call = { limit: 100, ...given, ...(given?.limit === undefined && { limit: 100 }) };
    for (;;) {
      const page = (await this.#call(operation, call)) as Page<ItemOf<Id>>;
      yield page as Awaited<ResponseOf<Id>>;
      if (page.nextCursor === null) return;
      call = { ...call, cursor: page.nextCursor };
    }
  }

  /** Yields all items of a list. Fetches the pages of the list as needed. */
  async *each<Id extends ListOperation>(
    operation: Id,
    ...request: RequestArgument<RequestOf<Id>>
  ): AsyncGenerator<ItemOf<Id>, void, undefined> {
    for await (const page of this.pages(operation, ...request)) yield* (page as Page<ItemOf<Id>>).data;
  }

  /**
   * Issues one pass per line, for any number of lines; see `BatchRequest`. Generates a missing `id`, so that a retry
   * does not create a second pass.
   */
  createPassesFrom(
    request: BatchRequest<LineOperations['createPasses']['request']>,
    lines: Lines<PassRequest>,
  ): AsyncGenerator<BatchLine<BatchedPass>, void, undefined> {
    return new LineBatches(this.#transport, 'createPasses', request).results(lines, (line) => ({
      text: JSON.stringify({ ...line, id: line.id ?? randomId() }),
      isNew: !line.id,
    }));
  }

  /** Creates one member per line, for any number of lines; see `BatchRequest`. */
  importMembersFrom(
    request: BatchRequest<LineOperations['importMembers']['request']>,
    lines: Lines<NewMemberRequest>,
  ): AsyncGenerator<BatchLine<ImportedMember>, void, undefined> {
    return new LineBatches(this.#transport, 'importMembers', request).results(lines, (line) => ({
      text: JSON.stringify(line),
      isNew: false,
    }));
  }
}
