import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '@passwright/core';
import type { S3Limits } from '../storage.options.js';
import { mayPass, S3ResponseIncomplete } from './s3-failure.js';

const FIRST_PAUSE_MS = 100;
/** One millisecond of additional time per this number of transferred bytes. */
const BYTES_PER_MS = 1024;
const defaults = { attempts: 3, attemptMs: 3000, totalMs: 8000 };

/** One attempt of a request. */
export interface Attempt {
  /** Aborts when the time of the attempt is over. */
  readonly signal: AbortSignal;
  /** Extends the attempt by the time that a transfer of these bytes may take. Call it once. */
  allow(bytes: number): void;
}

/**
 * Makes a request, and repeats it after a temporary failure. Ends at its time limit.
 * @param bytes the size of the request's body
 */
export async function attempted<T>(
  limits: S3Limits,
  bytes: number,
  request: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { attempts, attemptMs, totalMs } = { ...defaults, ...limits };
  const transferMs = bytes / BYTES_PER_MS;
  const end = performance.now() + totalMs + transferMs;
  for (let done = 1; ; done++) {
    try {
      return await within(Math.min(attemptMs + transferMs, end - performance.now()), request);
    } catch (error) {
      const pauseMs = backoff(done, { first: FIRST_PAUSE_MS, most: totalMs });
      if (done >= attempts || !mayPass(error) || performance.now() + pauseMs >= end) throw error;
      await pause(pauseMs);
    }
  }
}

async function within<T>(firstMs: number, request: (attempt: Attempt) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const began = performance.now();
  const abortAfter = (ms: number) =>
    setTimeout(
      () => controller.abort(new S3ResponseIncomplete(`No complete response within ${Math.round(ms)} ms`)),
      ms - (performance.now() - began),
    );
  let timer = abortAfter(firstMs);
  const allow = (bytes: number) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = abortAfter(firstMs + bytes / BYTES_PER_MS);
  };
  try {
    return await Promise.race([request({ signal, allow }), late]);
  } finally {
    clearTimeout(timer);
  }
}
