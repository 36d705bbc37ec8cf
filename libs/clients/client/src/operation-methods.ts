import type { Operations } from './generated/api.js';
import type { CallOptions } from './options.js';

/** Parameters whose optional properties may be set to undefined, even with `exactOptionalPropertyTypes`. */
export type Unset<Parameters> = {
  [Name in keyof Parameters]: object extends Pick<Parameters, Name> ? Parameters[Name] | undefined : Parameters[Name];
};

/** The type of an operation's request. */
export type RequestOf<Id extends keyof Operations> = (Operations[Id] extends { request: infer Request }
  ? Unset<Request>
  : unknown) &
  CallOptions;

/** The body of an operation's response; undefined if the response has no body. */
export type ResponseOf<Id extends keyof Operations> = Operations[Id] extends { response: infer Body }
  ? Body
  : undefined;

/** The request argument, which is optional if no property is required. */
export type RequestArgument<Request> = object extends Request ? [request?: Request] : [request: Request];

/** A method for each operation. */
export type OperationMethods = {
  [Id in keyof Operations]: (...request: RequestArgument<RequestOf<Id>>) => Promise<ResponseOf<Id>>;
};

/** The ids of the operations with paged responses. */
export type ListOperation = {
  [Id in keyof Operations]: ResponseOf<Id> extends Page<unknown> ? Id : never;
}[keyof Operations];

/** A page of a list. */
export interface Page<Item> {
  data: Item[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
}

/** The item type of a list. */
export type ItemOf<Id extends ListOperation> = ResponseOf<Id> extends Page<infer Item> ? Item : never;
