import type { Operations } from './generated/api.js';
import type { CallOptions } from './options.js';

/** What an operation is called with. */
export type RequestOf<Id extends keyof Operations> = (Operations[Id] extends { request: infer Request }
  ? Request
  : unknown) &
  CallOptions;

/** What an operation answers; undefined where it only says that it is done. */
export type AnswerOf<Id extends keyof Operations> = Operations[Id] extends { answer: infer Answer }
  ? Answer
  : undefined;

/** The request can be left out where nothing in it is needed. */
export type RequestArgument<Request> = object extends Request ? [request?: Request] : [request: Request];

/** A method for each operation. */
export type OperationMethods = {
  [Id in keyof Operations]: (...request: RequestArgument<RequestOf<Id>>) => Promise<AnswerOf<Id>>;
};

/** The operations that answer in pages. */
export type ListOperation = {
  [Id in keyof Operations]: AnswerOf<Id> extends Page<unknown> ? Id : never;
}[keyof Operations];

/** A page of a list. */
export interface Page<Item> {
  data: Item[];
  /** null on the last one. */
  nextCursor: string | null;
}

/** What a list is of. */
export type ItemOf<Id extends ListOperation> = AnswerOf<Id> extends Page<infer Item> ? Item : never;
