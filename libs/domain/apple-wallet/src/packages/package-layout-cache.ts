import { Injectable } from '@nestjs/common';
import { versionSuffix } from '@passwright/core';
import { ImagesService, type PreparedImage } from '@passwright/images';
import { type Template, TemplatesService } from '@passwright/templates';
import { type CompiledFiles, compileFiles, CompiledPackage } from '@passwright/wallet-renderers';
import { LRUCache } from 'lru-cache';
import type { PassAddress, WalletPass } from '@passwright/passes';
import { AppleWalletOptions } from '../apple-wallet.options.js';

/** A template with the parts that the packages of all its passes share. */
export interface PackageLayout {
  readonly template: Template;
  readonly layout: CompiledPackage;
}

type Stored = PackageLayout | CompiledFiles;

/**
 * Caches the shared parts of a template's packages in memory, compiled once per revision, so that building a package
 * neither reads, hashes nor copies an image. Simultaneous requests for a revision load it once.
 */
@Injectable()
export class PackageLayoutCache {
  private readonly stored: LRUCache<string, Stored>;
  private readonly loading = new Map<string, Promise<Stored>>();

  constructor(
    { packageCacheBytes }: AppleWalletOptions,
    private readonly templates: TemplatesService,
    private readonly images: ImagesService,
  ) {
    this.stored = new LRUCache({ maxSize: packageCacheBytes, sizeCalculation: sizeBytes });
  }

  /** Returns the template's layout for a pass, with the pass's own thumbnail if it has one. */
  async for(address: PassAddress, { pass, template }: WalletPass): Promise<PackageLayout> {
    const { accountId, templateId } = address;
    // The creation time is part of the key, because a new template with the same id counts its revisions from 1 again.
    const version = `${accountId}/${templateId}/${template.createdAt.getTime()}/${template.revision}${versionSuffix()}`;
    const { thumbnail } = pass;
    if (!thumbnail) return this.once(version, () => this.layoutOf(address, true));
    const [shared, own] = await Promise.all([
      this.once(`${version}/without-thumbnail`, () => this.layoutOf(address, false)),
      this.once(`${accountId}/${thumbnail.source}/${thumbnail.recipe}`, () => this.compiled([thumbnail])),
    ]);
    return { template: shared.template, layout: shared.layout.with(own) };
  }

  private async layoutOf({ accountId, templateId }: PassAddress, withThumbnail: boolean): Promise<PackageLayout> {
    const template = await this.templates.get(accountId, templateId);
    const { thumbnail, ...images } = template.images;
    const used = withThumbnail && thumbnail ? { ...images, thumbnail } : images;
    return { template, layout: new CompiledPackage([await this.compiled(Object.values(used))]) };
  }

  private async compiled(images: readonly PreparedImage[]): Promise<CompiledFiles> {
    return compileFiles(await this.images.appleFiles(images));
  }

  private async once<T extends Stored>(key: string, load: () => Promise<T>): Promise<T> {
    // The types match, because each key always stores the same type of value.
    const known = this.stored.get(key) ?? this.loading.get(key);
    if (known) return (await known) as T;
    const loading = load();
    this.loading.set(key, loading);
    try {
      const loaded = await loading;
      this.stored.set(key, loaded);
      return loaded;
    } finally {
      this.loading.delete(key);
    }
  }
}

function sizeBytes(stored: Stored): number {
  if (!('layout' in stored)) return stored.bytes.length;
  const textBytes = 2 * JSON.stringify(stored.template).length;
  return stored.layout.heads.reduce((sum, { length }) => sum + length, textBytes);
}
