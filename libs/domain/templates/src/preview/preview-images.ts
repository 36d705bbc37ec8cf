import type { PreviewImage, PreviewImages, PreviewWallet } from '@passwright/wallet-renderers';
import { drawable, type ImageFile, imageTypes, type ImageVariants, type PreparedPurpose } from '@passwright/images';

/** The image files that each wallet shows on the front, by purpose. */
export const shownImages: Record<PreviewWallet, Partial<Record<PreparedPurpose, string>>> = {
  apple: {
    logo: 'logo@2x.png',
    banner: 'strip@2x.png',
    thumbnail: 'thumbnail@2x.png',
    artwork: 'artwork@2x.png',
    primaryLogo: 'primaryLogo@2x.png',
  },
  google: { icon: 'logo.png', logo: 'wide-logo.png', banner: 'hero.png' },
  web: {
    logo: 'logo.png',
    banner: 'banner.png',
    background: 'background.webp',
    thumbnail: 'thumbnail.png',
    artwork: 'artwork.webp',
  },
};

/** Maximum width in pixels: two pixels for each point of the width of a preview. */
const mostPixels = 830;

/** Returns the sizes that a wallet shows, from sizes generated in memory. Skips missing images. */
export async function generatedImages(
  variants: Partial<Record<PreparedPurpose, ImageVariants | null>>,
  wallet: PreviewWallet,
): Promise<PreviewImages> {
  const selected = Object.entries(shownImages[wallet]).map(async ([purpose, name]) => {
    const files = variants[purpose as PreparedPurpose]?.files;
    const file = files?.find((each) => each.for.wallet === wallet && each.for.name === name);
    return [purpose, file && (await toPreviewImage(file.image))];
  });
  return Object.fromEntries(await Promise.all(selected)) as PreviewImages;
}

/** Converts an image file to one that a preview can draw. */
export async function toPreviewImage({ bytes, extension, width, height }: ImageFile): Promise<PreviewImage> {
  if (extension !== 'webp') return { bytes, mediaType: imageTypes[extension], width, height };
  const { extension: drawn, ...image } = await drawable(bytes, mostPixels);
  return { ...image, mediaType: imageTypes[drawn] };
}
