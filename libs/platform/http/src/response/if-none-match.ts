import express, { type Express, type Request } from 'express';

/**
 * Makes `If-None-Match: *` respond with 304 only if the response has an entity tag (RFC 9110 §13.1.2). Express would
 * always send 304.
 */
export function compareTagsOnly(app: Express): void {
  const isFresh = Object.getOwnPropertyDescriptor(express.request, 'fresh')?.get;
  Object.defineProperty(app.request, 'fresh', {
    configurable: true,
    get(this: Request): boolean {
      const isForAny = this.headers['if-none-match']?.trim() === '*';
      if (isForAny && this.res?.hasHeader('ETag') !== true) return false;
      return isFresh?.call(this) === true;
    },
  });
}
