import type { PreparedImage, PreparedImages } from '@passwright/images';
import type { MailImage, PassMailContext } from '@passwright/wallet-renderers';

/** Returns the addresses of a template's images in formats that every mail program shows. */
export function mailImages({ banner, logo }: PreparedImages, baseUrl: string): PassMailContext['images'] {
  return { banner: mailImage(banner, baseUrl), logo: mailImage(logo, baseUrl) };
}

function mailImage(image: PreparedImage | undefined, baseUrl: string): MailImage | null {
  const file = image?.files.find(({ wallet, name }) => wallet === 'web' && name.endsWith('.png'));
  return file ? { url: `${baseUrl}/${file.key}`, width: file.width, height: file.height } : null;
}
