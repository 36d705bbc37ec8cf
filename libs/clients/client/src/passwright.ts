import { type BatchLine, type BatchRequest, LineBatches } from './line-batches.js';
import type { Lines } from './line-chunks.js';
import type { LineOperations, MemberLinks, NewMemberRequest, PassRequest, PassWithLinks } from './generated/api.js';
import { operations } from './generated/operations.js';
import type {
  AnswerOf,
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

const etags = new WeakMap<object, string>();

/**
 * The version of what was read or written, for `ifMatch`: a change that was made since is not overwritten then.
 * @param answer the very object that a call has answered
 */
export function etagOf(answer: object): string | undefined {
  return etags.get(answer);
}

/** The pass that a line has become, or that was there. */
export type BatchedPass = Omit<PassWithLinks, 'pass'> & { id: string; existing?: true };
/** The member that a line has become, or who was there. */
export interface ImportedMember {
  id: number;
  templateId: string;
  passId: string;
  existing?: true;
  links: MemberLinks;
}

// Their types are made from the API's document, the methods themselves below.
const OperationsBase = class {} as new () => OperationMethods;

/**
 * The API of one service. It has a method for each operation, by its operation id: path and query parameters stand side by
 * side with `body`, and it answers the body of the answer.
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
    const etag = response.headers.get('ETag');
    if (etag && typeof value === 'object' && value) etags.set(value, etag);
    return value;
  }

  /** The pages of a list, each fetched when it is asked for; 100 items each unless `limit` says otherwise. */
  async *pages<Id extends ListOperation>(
    operation: Id,
    ...[request]: RequestArgument<RequestOf<Id>>
  ): AsyncGenerator<Awaited<AnswerOf<Id>>, void, undefined> {
    let call: Call = { limit: 100, ...(request as Call | undefined) };
    for (;;) {
      const page = (await this.#call(operation, call)) as Page<ItemOf<Id>>;
      yield page as Awaited<AnswerOf<Id>>;
      if (page.nextCursor === null) return;
      call = { ...call, cursor: page.nextCursor };
    }
  }

  /** All items of a list, its pages fetched while they are read. */
  async *each<Id extends ListOperation>(
    operation: Id,
    ...request: RequestArgument<RequestOf<Id>>
  ): AsyncGenerator<ItemOf<Id>, void, undefined> {
    for await (const page of this.pages(operation, ...request)) yield* (page as Page<ItemOf<Id>>).data;
  }

  /**
   * Issues a pass for each line, however many there are: see `BatchRequest`. A line without an `id` is given one, so that
   * it can be sent again without making two.
   */
  createPassesFrom(
    request: BatchRequest<LineOperations['createPasses']['request']>,
    lines: Lines<PassRequest>,
  ): AsyncGenerator<BatchLine<BatchedPass>, void, undefined> {
    return new LineBatches(this.#transport, 'createPasses', request).answers(lines, (line) => ({
      text: JSON.stringify({ ...line, id: line.id ?? randomId() }),
      isNew: !line.id,
    }));
  }

  /** Makes a member for each line, however many there are: see `BatchRequest`. */
  importMembersFrom(
    request: BatchRequest<LineOperations['importMembers']['request']>,
    lines: Lines<NewMemberRequest>,
  ): AsyncGenerator<BatchLine<ImportedMember>, void, undefined> {
    return new LineBatches(this.#transport, 'importMembers', request).answers(lines, (line) => ({
      text: JSON.stringify(line),
      isNew: false,
    }));
  }
}
