import { Injectable } from '@nestjs/common';
import { versionSuffix } from '@passwright/core';
import { ImagesService, type PreparedImage, type PreparedPurpose } from '@passwright/images';
import {
  imagesIn,
  localisedPurposesOf,
  MAX_PACKAGE_BYTES,
  type Template,
  TemplatesService,
} from '@passwright/templates';
import { appleImageSlots, type CompiledFiles, compileFiles, CompiledPackage } from '@passwright/wallet-renderers';
import { LRUCache } from 'lru-cache';
import type { PassAddress, WalletPass } from '@passwright/passes';
import { AppleWalletOptions } from '../apple-wallet.options.js';

/** Compiled image files. `content` has the names and storage keys of the images, and so identifies them. */
interface CompiledImages {
  readonly content: string;
  readonly files: CompiledFiles;
}

/** A template with the parts that the packages of all its passes share. */
export interface PackageLayout {
  readonly template: Template;
  readonly layout: CompiledPackage;
  readonly images: CompiledImages;
}

type Stored = PackageLayout | CompiledImages;

interface Entry {
  readonly version: string;
  readonly stored: Stored;
}

/**
 * Caches the shared parts of a template's packages in memory, so that no package needs to read, hash or copy an image.
 * Keeps one revision of each template. A new revision with the same images reuses them.
 */
@Injectable()
export class PackageLayoutCache {
  private readonly entries: LRUCache<string, Entry>;
  private readonly loading = new Map<string, Promise<Stored>>();

  constructor(
    { packageCacheBytes }: AppleWalletOptions,
    private readonly templates: TemplatesService,
    private readonly images: ImagesService,
  ) {
    this.entries = new LRUCache({
      maxSize: packageCacheBytes,
      // Avoid a size of 0, for which the cache throws. Images without Apple files have this size.
      sizeCalculation: ({ stored }) => Math.max(1, sizeBytes(stored)),
    });
  }

  /** Returns the template's layout for a pass, with the pass's own thumbnail if it has one. */
  async for(address: PassAddress, { pass, template }: WalletPass): Promise<PackageLayout> {
    const { accountId, templateId } = address;
    const key = `${accountId}/${templateId}`;
    // Include the creation time, because a recreated template counts its revisions from 1 again.
    const version = `${template.createdAt.getTime()}/${template.revision}${versionSuffix()}`;
    const { thumbnail } = pass;
    if (!thumbnail) return this.once<PackageLayout>(key, version, (known) => this.layoutOf(address, true, known));
    const [shared, own] = await Promise.all([
      this.once<PackageLayout>(`${key}/without-thumbnail`, version, (known) => this.layoutOf(address, false, known)),
      this.once(`${accountId}/${thumbnail.source}/${thumbnail.recipe}`, '', () => this.compiled([thumbnail])),
    ]);
    return { ...shared, layout: shared.layout.with(own.files) };
  }

  /**
   * Returns the images of each language if any image differs by language. Each language then has all of these images,
   * because a device looks only in the folder of its own language. Omits further languages once the images exceed twice
   * `MAX_PACKAGE_BYTES`.
   * @returns the images, and the languages that the package may have
   */
  async imagesOf(
    { accountId, templateId }: PassAddress,
    { pass }: WalletPass,
    { template }: PackageLayout,
    languages: readonly string[],
  ): Promise<{ readonly images: readonly CompiledFiles[]; readonly languages: readonly string[] }> {
    if (!differsByLanguage(template)) return { images: [], languages };
    const version = `${template.createdAt.getTime()}/${template.revision}${versionSuffix()}`;
    const withThumbnail = !pass.thumbnail;
    const images: CompiledFiles[] = [];
    let bytes = 0;
    for (const language of languages) {
      const key = `${accountId}/${templateId}/${withThumbnail ? 'with' : 'without'}-thumbnail/${language}`;
      const { files } = await this.once<CompiledImages>(key, version, (known) => {
        return this.localised(template, language, withThumbnail, known);
      });
      bytes += files.bytes.length;
      if (bytes > 2 * MAX_PACKAGE_BYTES) break;
      images.push(files);
    }
    return { images, languages: languages.slice(0, images.length) };
  }

  private localised(
    template: Template,
    language: string,
    withThumbnail: boolean,
    known?: CompiledImages,
  ): Promise<CompiledImages> {
    const purposes = localisedPurposesOf(template);
    const shown = Object.entries(imagesIn(template, language)).flatMap(([purpose, image]) =>
      purposes.has(purpose as PreparedPurpose) && (withThumbnail || purpose !== 'thumbnail') ? [image] : [],
    );
    return this.compiled(shown, known, `${language}.lproj/`);
  }

  private async layoutOf(
    { accountId, templateId }: PassAddress,
    withThumbnail: boolean,
    known?: PackageLayout,
  ): Promise<PackageLayout> {
    const template = await this.templates.get(accountId, templateId);
    const localised = localisedPurposesOf(template);
    // An image at the root would hide images with the same name in the folders of languages.
    const used = Object.entries(template.images).flatMap(([purpose, image]) =>
      localised.has(purpose as PreparedPurpose) || (purpose === 'thumbnail' && !withThumbnail) ? [] : [image],
    );
    const images = await this.compiled(used, known?.images);
    return { template, layout: new CompiledPackage([images.files]), images };
  }

  /**
   * Compiles the Apple files of the images, or returns `known` if it has the same images. @param folder the folder of
   * these files in the package
   */
  private async compiled(
    images: readonly PreparedImage[],
    known?: CompiledImages,
    folder = '',
  ): Promise<CompiledImages> {
    const content = contentOf(images);
    if (known?.content === content) return known;
    const files = await this.images.appleFiles(images);
    return { content, files: compileFiles(files.map(({ name, data }) => ({ name: `${folder}${name}`, data }))) };
  }

  /**
   * Returns the cached value of this version, or loads it.
   * @param load gets the cached value of an earlier version, if any
   */
  private async once<T extends Stored>(key: string, version: string, load: (known?: T) => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    // The types match, because each key always stores the same type of value.
    if (known?.version === version) return known.stored as T;
    const name = `${key} ${version}`;
    const begun = this.loading.get(name);
    if (begun) return (await begun) as T;
    const loading = load(known?.stored as T | undefined);
    this.loading.set(name, loading);
    try {
      const stored = await loading;
      this.entries.set(key, { version, stored });
      return stored;
    } finally {
      this.loading.delete(name);
    }
  }
}

/** Returns true if the Apple packages of a template have images that differ by language. */
function differsByLanguage(template: Template): boolean {
  const purposes: ReadonlySet<string> = localisedPurposesOf(template);
  return appleImageSlots(template.type).some(({ purpose }) => purposes.has(purpose));
}

/** Returns the names and keys of the Apple files. A key contains a hash of the content. */
function contentOf(images: readonly PreparedImage[]): string {
  const files = images.flatMap((image) => image.files.filter(({ wallet }) => wallet === 'apple'));
  return files.map(({ name, key }) => `${name} ${key}`).join('\n');
}

function sizeBytes(stored: Stored): number {
  if (!('layout' in stored)) return stored.files.bytes.length;
  const textBytes = 2 * JSON.stringify(stored.template).length + stored.images.content.length;
  return stored.layout.heads.reduce((sum, { length }) => sum + length, textBytes);
}
