import sharp from 'sharp';
import type { Account } from './running-service.js';

/** The minimum sizes of the images of a template, by purpose. */
export const imageSizes = {
  logo: [480, 150],
  banner: [1125, 432],
  thumbnail: [270, 270],
  artwork: [1074, 1344],
} as const;
export type UploadedPurpose = keyof typeof imageSizes;

/** Stores an image of an account. @returns its address */
export async function uploadedImage(account: Account, purpose: UploadedPurpose, png: Buffer): Promise<string> {
  const form = new FormData();
  form.append(purpose, new Blob([new Uint8Array(png)], { type: 'image/png' }), `${purpose}.png`);
  const { service, token } = account;
  const { status, body } = await service.request('POST', '/v1/templates/images/images', { token, body: form });
  if (status !== 200) throw new Error(`the upload of an image got ${status}: ${JSON.stringify(body)}`);
  return body[purpose] as string;
}

/** Stores an image of one colour, with the minimum size for its purpose. @returns its address */
export async function uploadedColour(account: Account, purpose: UploadedPurpose, background: string): Promise<string> {
  const [width, height] = imageSizes[purpose];
  const create = { width, height, channels: 3 as const, background };
  return uploadedImage(account, purpose, await sharp({ create }).png().toBuffer());
}

/** Returns the mean colour of an image: red, green and blue, in steps of 8, because a palette rounds them. */
export async function meanColour(image: Buffer): Promise<number[]> {
  const { channels } = await sharp(image).removeAlpha().stats();
  return channels.map(({ mean }) => Math.round(mean / 8) * 8);
}

export function imagesOfSvg(svg: string): Buffer[] {
  return [...svg.matchAll(/href="data:image\/\w+;base64,([^"]*)"/g)].map(([, data]) =>
    Buffer.from(data ?? '', 'base64'),
  );
}

/** Returns the lines of the description of an SVG. */
export function linesOfSvg(svg: string): string[] {
  return (/<desc[^>]*>([^]*?)<\/desc>/.exec(svg)?.[1] ?? '').split('\n');
}
