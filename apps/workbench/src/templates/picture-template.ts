import type { Session } from '../api/session.js';
import { type Colours, coloursOf } from '../model/colours.js';
import { type Body, idFrom } from '../model/template.js';
import type { Imported } from './imported.js';

/** The width and height of a reduced copy, which is large enough to find the main colours. */
const SIDE = 32;

/**
 * Makes a template from a picture, which becomes the banner and provides the colours.
 * @param starter all other properties
 * @throws Error if the browser cannot read the picture
 */
export async function pictureTemplate(session: Session, file: File, starter: Body): Promise<Imported> {
  const colours = await mainColours(file);
  const title = titleFrom(file.name);
  const form = new FormData();
  form.set('banner', file);
  const urls = await session.api.uploadTemplateImages({ templateId: idFrom(title) || 'imported', body: form });
  return {
    body: { ...starter, title, ...colours, ...urls },
    notes: ['icon and logo: the samples stand in until you choose your own', 'texts in the picture: enter them here'],
  };
}

async function mainColours(file: File): Promise<Colours> {
  const size = { resizeWidth: SIDE, resizeHeight: SIDE };
  const picture = await createImageBitmap(file, size).catch(() => null);
  const canvas = Object.assign(document.createElement('canvas'), { width: SIDE, height: SIDE });
  const context = canvas.getContext('2d');
  if (!picture || !context) throw new Error('The browser cannot read this picture: choose a PNG, JPEG or WebP file.');
  context.drawImage(picture, 0, 0);
  return coloursOf(context.getImageData(0, 0, SIDE, SIDE).data);
}

/** Returns a title for a file: `gold-club.png` is `Gold club`. */
function titleFrom(name: string): string {
  const words = name
    .split('.')[0]
    ?.split(/[-_\s]+/)
    .join(' ')
    .trim()
    .slice(0, 40);
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : 'New pass';
}
