import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { StorageUnavailable } from '@passwright/core';
import { OpenBlobs } from './open-blobs.js';

const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);

it('503 storage_unavailable while readers hold too much, until one has read its blob or given up', async () => {
  const blobs = new OpenBlobs(400_000);
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

it('an open blob gives its bytes in slices, so that a slow connection buffers little', async () => {
  const { stream } = new OpenBlobs().open(bytes);
  const sizes: number[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) sizes.push(chunk.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
});
