import sharp from 'sharp';
import { drawImagesOnce } from './images-drawn-once.js';

const square = (background: string) =>
  sharp(Buffer.alloc(48, background), { raw: { width: 4, height: 4, channels: 3 } }).resize(8, 8);
const draw = (background: string, level = 6) =>
  square(background).png({ compressionLevel: level }).toBuffer({ resolveWithObject: true });

describe('drawImagesOnce', () => {
  it('drawImagesOnce returns the same images as sharp, for any pixels and options', async () => {
    const asked = [['a'], ['b'], ['a', 0]] as const;
    const drawn = await Promise.all(asked.map(([background, level]) => draw(background, level)));
    drawImagesOnce(sharp);
    for (let round = 0; round < 2; round += 1)
      expect(await Promise.all(asked.map(([background, level]) => draw(background, level)))).toEqual(drawn);
  });

  it('drawImagesOnce draws the same image only once', async () => {
    const drawing = jest.fn(async () => Promise.resolve({ data: Buffer.from('drawn'), info: {} }));
    class Picture {
      constructor(readonly options: object) {}
      toBuffer(...args: unknown[]): unknown {
        return drawing(...(args as []));
      }
    }
    drawImagesOnce(Picture);
    const ask = (options: object) => new Picture(options).toBuffer({ resolveWithObject: true });
    await ask({ once: 1 });
    await ask({ once: 1 });
    expect(drawing).toHaveBeenCalledTimes(1);
  });

  it('drawImagesOnce returns bytes that the caller may change', async () => {
    drawImagesOnce(sharp);
    const first = await draw('c');
    const bytes = Buffer.from(first.data);
    first.data.fill(0);
    expect((await draw('c')).data).toEqual(bytes);
  });
});
