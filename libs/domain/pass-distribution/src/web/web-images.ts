import type { PreparedFile, PreparedImage, PreparedImages } from '@passwright/images';
import type { WebImages } from '@passwright/wallet-renderers';

const previewName = 'preview.jpg';

/** Where a page finds the images of a template, or a pass's own thumbnail instead of its. */
export function webImages(images: PreparedImages, baseUrl: string, thumbnail: PreparedImage | null = null): WebImages {
  const used: PreparedImages = { ...images, ...(thumbnail && { thumbnail }) };
  const shown = Object.entries(used).map(([purpose, image]) => {
    const file = webFile(image);
    return [purpose, file ? `${baseUrl}/${file.key}` : null];
  });
  return { ...(Object.fromEntries(shown) as WebImages), preview: previewOf(images, baseUrl) };
}

/** The one made for it; of templates saved before there was one, the largest that will do. */
function previewOf({ banner, logo, icon }: PreparedImages, baseUrl: string): WebImages['preview'] {
  const made = banner?.files.find(({ name }) => name === previewName);
  const file = made ?? webFile(banner) ?? webFile(logo) ?? webFile(icon);
  return file ? { url: `${baseUrl}/${file.key}`, width: file.width, height: file.height } : null;
}

function webFile(image: PreparedImage | undefined): PreparedFile | undefined {
  return image?.files.find(({ wallet, name }) => wallet === 'web' && name !== previewName);
}
