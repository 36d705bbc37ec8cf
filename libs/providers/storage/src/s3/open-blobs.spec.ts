import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { inRequestOf, StorageUnavailable } from '@passwright/core';
import { OpenBlobs } from './open-blobs.js';

const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);

it('503 storage_unavailable while open blobs use too much memory, until one of them is read or closed', async () => {
  const blobs = new OpenBlobs(800_000);
  const [read, destroyed] = [blobs.open(bytes), blobs.open(bytes)];
  expect(() => blobs.open(bytes)).toThrow(StorageUnavailable);
  expect(await buffer(read.stream)).toEqual(Buffer.from(bytes));
  const third = blobs.open(bytes);
  expect(() => blobs.open(bytes)).toThrow(StorageUnavailable);
  destroyed.stream.destroy();
  await once(destroyed.stream, 'close');
  expect(await buffer(blobs.open(bytes).stream)).toHaveLength(bytes.length);
  third.stream.destroy();
});

it('the open blobs of one caller leave memory for the blobs of other callers', () => {
  const blobs = new OpenBlobs(800_000);
  const open = (ip: string) => inRequestOf({ ip, requestId: 'r' }, () => blobs.open(bytes));
  const own = [open('203.0.113.1'), open('203.0.113.1')];
  expect(() => open('203.0.113.1')).toThrow(StorageUnavailable);
  const other = open('203.0.113.2');
  expect(() => open('203.0.113.2')).toThrow(StorageUnavailable);
  for (const { stream } of [...own, other]) stream.destroy();
});

it('an open blob returns its bytes in slices, so that a slow connection buffers little', async () => {
  const { stream } = new OpenBlobs().open(bytes);
  const sizes: number[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) sizes.push(chunk.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
});

it('an open blob is closed and frees its memory if it is not read for 30 seconds', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const blobs = new OpenBlobs(800_000);
  const [idle, slow] = [blobs.open(bytes), blobs.open(bytes)];
  const slices = slow.stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const closed = new Promise((resolve) => idle.stream.once('close', resolve));
  await slices.next();
  jest.advanceTimersByTime(29_000);
  await slices.next();
  jest.advanceTimersByTime(2000);
  await closed;
  expect([idle.stream.destroyed, slow.stream.destroyed]).toEqual([true, false]);
  const next = blobs.open(bytes);
  for (const { stream } of [slow, next]) stream.destroy();
  jest.useRealTimers();
});
