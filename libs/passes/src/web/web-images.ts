import type { PreparedImage, TemplateImages } from '@passwright/templates';
import type { WebImages } from '@passwright/wallet-renderers';

/** Where a page finds the images of a template, or a pass's own thumbnail instead of its. */
export function webImages(images: TemplateImages, baseUrl: string, thumbnail: PreparedImage | null = null): WebImages {
  const shown = Object.entries({ ...images, ...(thumbnail && { thumbnail }) }).map(([purpose, { files }]) => {
    const file = files.find(({ wallet }) => wallet === 'web');
    return [purpose, file ? `${baseUrl}/${file.key}` : null];
  });
  return Object.fromEntries(shown) as WebImages;
}
