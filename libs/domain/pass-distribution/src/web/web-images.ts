import type { PreparedFile, PreparedImage, PreparedImages } from '@passwright/images';
import type { WebImages } from '@passwright/wallet-renderers';

const previewName = 'preview.jpg';

/** Returns the addresses of a template's images for a page, with the pass's own thumbnail, if any. */
export function webImages(images: PreparedImages, baseUrl: string, thumbnail: PreparedImage | null = null): WebImages {
  const used = thumbnail ? { ...images, thumbnail } : images;
  const shown = Object.entries(used).map(([purpose, image]) => {
    const file = webFile(image);
    return [purpose, file ? `${baseUrl}/${file.key}` : null];
  });
  return { preview: previewOf(images, baseUrl), ...(Object.fromEntries(shown) as WebImages) };
}

/** Returns the preview image. For templates that are older than preview images, returns the largest suitable image. */
function previewOf({ banner, logo, icon }: PreparedImages, baseUrl: string): WebImages['preview'] {
  const made = banner?.files.find(({ name }) => name === previewName);
  const file = made ?? webFile(banner) ?? webFile(logo) ?? webFile(icon);
  return file ? { url: `${baseUrl}/${file.key}`, width: file.width, height: file.height } : null;
}

function webFile(image: PreparedImage | undefined): PreparedFile | undefined {
  return image?.files.find(({ wallet, name }) => wallet === 'web' && name !== previewName);
}
