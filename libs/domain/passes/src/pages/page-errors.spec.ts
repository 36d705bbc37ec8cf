import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type AppError, RateLimited } from '@passwright/core';
import express, { type Response } from 'express';
import { PassNotFound } from '../passes/passes.errors.js';
import { withErrorPage } from './page-errors.js';

const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const program = 'application/json, text/html;q=0.1';

/** Returns the result of a route that throws the error, and its response. */
async function resultOf(error: Error, accept: string): Promise<{ result: unknown; response: Response }> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', query: {} });
  request.headers.accept = accept;
  const response = Object.setPrototypeOf(new ServerResponse(request), express.response) as Response;
  Object.assign(response, { req: request, locals: {} });
  const sent = withErrorPage(request, response, () => Promise.reject(error));
  return { result: await sent.catch((thrown: unknown) => thrown), response };
}

const notFound = new PassNotFound('offer', 'ada');

it.each<[AppError, number, string | undefined]>([
  [notFound, 404, undefined],
  [new RateLimited('Too many.', 7), 429, '7'],
])(
  'a browser gets a page with the status and headers of the error, which is also in the request log: %s',
  async (...args) => {
    const [error, status, retryAfter] = args;
    const { result, response } = await resultOf(error, chromium);
    expect(result).toMatch(/^<!doctype html>/i);
    expect([response.statusCode, response.getHeader('Retry-After')]).toEqual([status, retryAfter]);
    expect(response.locals.failure).toBe(error);
  },
);

it('a program that prefers JSON to HTML gets the JSON body of the error', async () => {
  const { result, response } = await resultOf(notFound, program);
  expect([result, response.locals.failure]).toEqual([notFound, undefined]);
});

it('the exception filter logs unexpected errors and errors with a cause', async () => {
  const caused = Object.assign(new PassNotFound('offer', 'ada'), { cause: new Error('The disk is full.') });
  for (const error of [caused, new Error('unexpected')]) expect((await resultOf(error, chromium)).result).toBe(error);
});
