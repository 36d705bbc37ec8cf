import { etagOf, type Passwright } from '@passwright/client';
import type { Context } from '../context.js';
import { Failure } from '../failures.js';
import { isRejected } from '../service-errors.js';
import type { Notifications } from './notification-lines.js';
import type { ServiceSide } from './comparison.js';
import { normalBody, type TemplateBody } from './template-body.js';

export interface Finding {
  /**
   * The document to which `path` refers. `service` means the operator's settings, which are not part of the template.
   */
  in: 'template' | 'pass' | 'service';
  severity: 'error' | 'warning' | 'info';
  path: string;
  message: string;
  fix: string;
}

/** A template of the service: its normalised body, and its version. */
export interface StoredTemplate extends ServiceSide {
  accountId: string;
  etag: string | undefined;
}

/** A saved template. `notifications` is absent if the service does not report what holders see. */
export interface SavedTemplate extends StoredTemplate {
  notifications: Notifications | undefined;
}

type Responded = TemplateBody & { id: string; accountId: string; archived: boolean };

/** The service calls of the template commands. */
export class Service {
  private constructor(
    private readonly client: Passwright,
    readonly url: string,
    private readonly signal: AbortSignal,
  ) {}

  static async of(context: Context): Promise<Service> {
    const [client, { url }] = [await context.client(), await context.connection()];
    return new Service(client, url, context.io.signal);
  }

  async list(): Promise<StoredTemplate[]> {
    const templates: StoredTemplate[] = [];
    for await (const template of this.client.each('listTemplates', { signal: this.signal }))
      templates.push(this.stored(template));
    return templates;
  }

  /**
   * Reads a template with its version, which lists do not contain. Returns undefined if the template does not exist.
   */
  async find(templateId: string): Promise<StoredTemplate | undefined> {
    try {
      return this.stored(await this.client.getTemplate({ templateId, signal: this.signal }));
    } catch (error) {
      if (isRejected(error, 'template_not_found')) return undefined;
      throw error;
    }
  }

  /**
   * Saves a template.
   * @param replaced the version to replace; undefined if the template must not exist yet
   * @throws PasswrightError `precondition_failed` if the service has another version
   */
  async save(templateId: string, body: TemplateBody, replaced: StoredTemplate | undefined): Promise<SavedTemplate> {
    const condition = replaced ? { ifMatch: replaced.etag } : { headers: { 'If-None-Match': '*' } };
    // The type of the body does not matter, because the service validates it.
    const reply = await this.client.upsertTemplate({ templateId, body: body as never, ...condition });
    // Earlier versions of the service do not send `notifications`.
    const { notifications }: { notifications?: Notifications } = reply;
    return { ...this.stored(reply), notifications };
  }

  async archive(templateId: string): Promise<void> {
    await this.client.archiveTemplate({ templateId });
  }

  async unarchive(templateId: string): Promise<StoredTemplate> {
    return this.stored(await this.client.unarchiveTemplate({ templateId }));
  }

  /** Returns the findings of the template lint for a template that is not saved. */
  async findings(templateId: string, template: TemplateBody): Promise<readonly Finding[]> {
    const body = { template: template as never };
    const { findings } = await this.client.lintTemplate({ templateId, body, signal: this.signal });
    return findings.filter((finding) => finding.in !== 'service');
  }

  /** Uploads images. @returns their addresses under the same names */
  async upload(templateId: string, images: ReadonlyMap<string, Uint8Array>): Promise<Record<string, string>> {
    const body = new FormData();
    for (const [name, bytes] of images) body.append(name, new Blob([new Uint8Array(bytes)]), name);
    const urls = await this.client.uploadTemplateImages({ templateId, body: body, signal: this.signal });
    return urls;
  }

  /** Downloads an image by its path. Needs no key, because images are public. @throws Failure */
  async image(path: string): Promise<Buffer> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(30_000)]);
    const response = await fetch(this.url + path, { signal });
    if (!response.ok) throw new Failure(`${this.url}${path} returned ${response.status} instead of an image.`);
    return Buffer.from(await response.arrayBuffer());
  }

  private stored(reply: object): StoredTemplate {
    const { id, accountId, archived } = reply as Responded;
    return { id, accountId, archived, body: normalBody(reply as Responded), etag: etagOf(reply) };
  }
}
