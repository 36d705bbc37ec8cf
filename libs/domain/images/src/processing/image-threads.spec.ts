import { getPriority } from 'node:os';
import sharp from 'sharp';
import { sanitised } from './image-codec.js';
import { imageThreads, withLowPriorityOnceLong } from './image-threads.js';

const png = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();
const own = getPriority();
const priorities = () => imageThreads().map((thread) => getPriority(thread) - own);
/** Simulates an image whose processing ends when the test calls `end`. */
function pendingImage() {
  let end: () => void = () => undefined;
  const image = new Promise<void>((resolve) => (end = resolve));
  return { image: () => image, end };
}

afterEach(() => jest.useRealTimers());

(process.platform === 'linux' ? describe : describe.skip)('the threads that process images', () => {
  it('the threads get a low priority if an image takes more than 100 ms', async () => {
    await sanitised(await png(200, 100));
    const before = priorities();
    expect(before).not.toEqual([]);
    jest.useFakeTimers();
    const short = pendingImage();
    const processed = withLowPriorityOnceLong(short.image);
    jest.advanceTimersByTime(99);
    short.end();
    await processed;
    jest.advanceTimersByTime(1000);
    expect(priorities()).toEqual(before);
    void withLowPriorityOnceLong(pendingImage().image);
    jest.advanceTimersByTime(100);
    expect(priorities()).toEqual(before.map(() => 10));
  });

  it('the codec lowers the priority of its threads for a large image, but not the priority of the event loop', async () => {
    await sanitised(await png(4990, 4990));
    expect(priorities()).toContain(10);
    expect(getPriority()).toBe(own);
  });
});
