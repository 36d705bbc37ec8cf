import { type Body, isObject, textOf } from '../template.js';
import { textsOf } from '../translations.js';
import { filesOf } from './archive.js';
import { importedTemplate, type ImportedTemplate } from './imported-template.js';
import { stringsOf } from './pass-strings.js';

/** A file that was read as a template. */
export interface ImportedFile extends ImportedTemplate {
  /** The images of the pass in their largest scale, by purpose. */
  readonly images: ReadonlyMap<string, Uint8Array>;
}

/** The purpose of each image of a pass. */
const purposes: ReadonlyMap<string, string> = new Map([
  ['icon', 'icon'],
  ['logo', 'logo'],
  ['strip', 'banner'],
  ['background', 'background'],
  ['thumbnail', 'thumbnail'],
  ['artwork', 'artwork'],
]);

/**
 * Reads a template from a `.pkpass`, a zipped folder of a pass, its `pass.json`, or a template of this API as JSON.
 * @param baseUrl the address of the service
 * @throws Error that says why the file cannot be read
 */
export function importedFile(bytes: Uint8Array, baseUrl: string): ImportedFile {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const files = isZip ? filesOf(bytes) : new Map([['pass.json', bytes]]);
  const json = files.get('pass.json');
  if (!json) throw new Error('The archive contains no pass.json.');
  const document = parsed(json);
  if (isTemplate(document)) return { body: document, notes: [], images: new Map() };
  const { body, notes } = importedTemplate(document, baseUrl);
  const [images, others] = imagesIn(files, textOf(body, 'type'));
  return {
    body: { ...body, ...translationsIn(files, body) },
    images,
    notes: [...notes, ...missing(body, images), ...others],
  };
}

function parsed(bytes: Uint8Array): Body {
  try {
    const document = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    if (isObject(document)) return document;
  } catch {
    // The message below says what is expected.
  }
  throw new Error(
    'The file is neither a pass nor a template: choose a picture, a .pkpass, a pass.json or a template as JSON.',
  );
}

/** Returns true for a template of this API. A `pass.json` always has a `formatVersion`. */
function isTemplate(document: Body): boolean {
  return document.formatVersion === undefined && textOf(document, 'issuerName') !== '';
}

/** Returns the images of a template of a type, and sentences about the other files. */
function imagesIn(files: ReadonlyMap<string, Uint8Array>, type: string): [Map<string, Uint8Array>, string[]] {
  const images = new Map<string, Uint8Array>();
  const others: string[] = [];
  const unused = [...(type === 'generic' ? [] : ['thumbnail']), ...(type === 'event' ? ['artwork'] : [])];
  for (const [name, bytes] of [...files].sort(([one], [other]) => scaleOf(one) - scaleOf(other))) {
    const purpose = purposes.get(/^([a-zA-Z]+)(?:@[23]x)?\.png$/.exec(name)?.[1] ?? '');
    if (purpose !== undefined && !unused.includes(purpose)) images.set(purpose, bytes);
    else if (!/^(?:pass\.json|manifest\.json|signature|[^/]+\.lproj\/pass\.strings)$/.test(name)) others.push(name);
  }
  return [images, others.length > 0 ? [`${others.sort().join(', ')}: the template does not use these files.`] : []];
}

function scaleOf(name: string): number {
  return Number(/@([23])x\.png$/.exec(name)?.[1] ?? 1);
}

function missing(body: Body, images: ReadonlyMap<string, Uint8Array>): string[] {
  const needed = ['icon', 'logo', 'banner', ...(body.type === 'generic' ? ['thumbnail'] : [])];
  const absent = needed.filter((purpose) => !images.has(purpose));
  return absent.length > 0 ? [`${absent.join(', ')}: the pass has no such image, so a sample takes its place.`] : [];
}

/** Finds the texts of a template in the tables of the pass. Their keys are the texts of `pass.json`. */
function translationsIn(files: ReadonlyMap<string, Uint8Array>, body: Body): Body {
  const tables = [...files].flatMap(([name, bytes]) => {
    const tag = /^([A-Za-z-]+)\.lproj\/pass\.strings$/.exec(name)?.[1];
    if (tag === undefined || tag === 'Base') return [];
    const strings = stringsOf(bytes);
    const texts = textsOf(body).flatMap(({ key, text }) => {
      const translated = strings.get(text);
      return translated === undefined || translated === text ? [] : [[key, translated] as const];
    });
    return texts.length > 0 ? [[tag, Object.fromEntries(texts)] as const] : [];
  });
  return tables.length > 0 ? { translations: Object.fromEntries(tables) } : {};
}
