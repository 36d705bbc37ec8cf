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
  it('image threads keep their priority if an image takes long only because the machine is busy', async () => {
    await sanitised(await png(200, 100));
    const before = priorities();
    expect(before).not.toEqual([]);
    jest.useFakeTimers();
    const waiting = pendingImage();
    const processed = withLowPriorityOnceLong(waiting.image);
    jest.advanceTimersByTime(10_000);
    expect(priorities()).toEqual(before);
    waiting.end();
    await processed;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('the codec lowers the priority of the threads that decode a large image, but not of the event loop', async () => {
    const large = await png(4990, 4990);
    await Promise.all([large, large, large].map((image) => sanitised(image)));
    expect(priorities()).toContain(10);
    expect(getPriority()).toBe(own);
  });
});
