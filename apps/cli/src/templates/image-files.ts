import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../failures.js';
import { isRejected } from '../service-errors.js';
import type { Service } from './template-service.js';
import type { State } from './state.js';
import { fileOf, imageAt, type ImageSlot, pathOf, slotsOf, withImage } from './image-slots.js';
import { normalBody, type ImageProperty, type TemplateBody } from './template-body.js';
import type { TemplateFile } from './template-files.js';

const mostBytes = 5 * 1024 * 1024;
/** Matches the address of an uploaded image, which contains the account and a name that is derived from the content. */
const uploadedForm = /\/images\/([A-Za-z0-9_-]{1,64})\/([0-9a-f]{64})\.(png|jpg|webp)$/;

export interface UploadedImage {
  accountId: string;
  hash: string;
  extension: string;
  /** The path of the address, without its host. */
  path: string;
}

/** Parses the address of an image on the service. Returns null for any other address. */
export function uploadedImage(url: unknown): UploadedImage | null {
  const match = typeof url === 'string' ? uploadedForm.exec(url) : null;
  if (!match) return null;
  const [path, accountId = '', hash = '', extension = ''] = match;
  return { accountId, hash, extension, path };
}

/** Returns true if an image property is a file path instead of an address. */
export const isImagePath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !/^[A-Za-z][A-Za-z0-9+.-]+:/.test(value);

/** Returns the file paths of a template's images, by property: `logo`, `translations.de.images.logo`. */
export function imagePaths(body: TemplateBody): Record<string, string> {
  return Object.fromEntries(
    slotsOf(body).flatMap((slot) => {
      const path = imageAt(body, slot);
      return isImagePath(path) ? [[pathOf(slot), path]] : [];
    }),
  );
}

/** Transfers images between files and the service. */
export class ImageFiles {
  constructor(
    private readonly root: string,
    private readonly state: State,
    private readonly service: Service,
  ) {}

  /**
   * Returns the normalised body of a file, with addresses instead of paths. Uses the address of the service's image if
   * the file is identical, and otherwise uploads the file.
   * @param of the service's template, if it exists
   * @param upload false keeps the path if the service's template does not have the image
   */
  async resolved(file: TemplateFile, of: TemplateBody | undefined, upload: boolean): Promise<TemplateBody> {
    let body = file.body;
    const missing = new Map<ImageSlot, Buffer>();
    for (const slot of slotsOf(body)) {
      const path = imageAt(body, slot);
      if (!isImagePath(path)) continue;
      const bytes = await this.read(file, pathOf(slot), path);
      const hash = sha256(bytes);
      const theirs = uploadedImage(imageAt(of, slot));
      const isKnown = theirs && (theirs.hash === hash || this.state.imageName(hash) === theirs.hash);
      if (isKnown) body = withImage(body, slot, imageAt(of, slot));
      else if (upload || theirs) missing.set(slot, bytes);
    }
    for (const [slot, url] of await this.uploadAll(file, missing)) body = withImage(body, slot, url);
    return normalBody(body);
  }

  /**
   * Converts the service's template to the normalised body of a file. Uploaded images become files beside it.
   * @param file the existing file. It keeps its paths of identical images
   * @param folder the templates folder
   * @returns the body, and the images to write, each with its absolute path
   */
  async asFile(
    body: TemplateBody,
    id: string,
    file: TemplateFile | undefined,
    folder: string,
  ): Promise<{ body: TemplateBody; images: Map<string, Buffer> }> {
    let local = body;
    const images = new Map<string, Buffer>();
    for (const slot of slotsOf(body)) {
      const theirs = uploadedImage(imageAt(body, slot));
      const before = imageAt(file?.body, slot);
      if (!theirs || before === imageAt(body, slot)) continue;
      if (file && isImagePath(before) && (await this.isSame(file, before, theirs))) {
        local = withImage(local, slot, before);
      } else {
        const own = `${fileOf(id, slot)}.${theirs.extension}`;
        const path =
          isImagePath(before) && before.startsWith(`${id}/`) && before.endsWith(`.${theirs.extension}`) ? before : own;
        images.set(join(folder, path), await this.service.image(theirs.path));
        local = withImage(local, slot, path);
      }
    }
    return { body: local, images };
  }

  async write(images: ReadonlyMap<string, Buffer>): Promise<void> {
    for (const [path, bytes] of images) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    }
  }

  private async isSame(file: TemplateFile, path: string, theirs: UploadedImage): Promise<boolean> {
    const bytes = await readFile(resolve(dirname(file.path), path)).catch(() => null);
    if (!bytes) return false;
    const hash = sha256(bytes);
    return theirs.hash === hash || this.state.imageName(hash) === theirs.hash;
  }

  /**
   * Uploads images, with one request for each language.
   * @returns their addresses
   */
  private async uploadAll(
    file: TemplateFile,
    images: ReadonlyMap<ImageSlot, Buffer>,
  ): Promise<Map<ImageSlot, unknown>> {
    const addresses = new Map<ImageSlot, unknown>();
    for (const language of new Set([...images.keys()].map((slot) => slot.language))) {
      const slots = [...images].filter(([slot]) => slot.language === language);
      const urls = await this.upload(file, new Map(slots.map(([{ name }, bytes]) => [name, bytes])));
      for (const [slot] of slots) if (urls[slot.name] !== undefined) addresses.set(slot, urls[slot.name]);
    }
    return addresses;
  }

  private async upload(file: TemplateFile, images: ReadonlyMap<ImageProperty, Buffer>): Promise<TemplateBody> {
    try {
      const urls = await this.service.upload(file.id, images);
      for (const [name, bytes] of images) {
        const hash = uploadedImage(urls[name])?.hash;
        if (hash && hash !== sha256(bytes)) this.state.nameImage(sha256(bytes), hash);
      }
      return urls;
    } catch (error) {
      // A read-only key cannot upload, so the image keeps its path. Everything else can be compared.
      if (isRejected(error, 'forbidden')) return {};
      throw error;
    }
  }

  /** Reads an image. @throws Failure that names the file and the property */
  private async read(file: TemplateFile, name: string, path: string): Promise<Buffer> {
    const absolute = resolve(dirname(file.path), path);
    const wrong = (what: string) =>
      new Failure(
        `${file.path}: ${name}: ${what}.`,
        `An image is an address (https://…) or the path of a file relative to the template's file.`,
      );
    if (relative(this.root, absolute).split(sep)[0] === '..') throw wrong(`${path} is outside the project`);
    const { size } = await stat(absolute).catch(() => {
      throw wrong(`there is no file ${path}`);
    });
    if (size > mostBytes) throw wrong(`${path} is larger than 5 MiB`);
    return readFile(absolute);
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
