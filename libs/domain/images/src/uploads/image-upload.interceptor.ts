import type { IncomingMessage } from 'node:http';
import {
  BadRequestException,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  PayloadTooLargeException,
} from '@nestjs/common';
import { AnyFilesInterceptor } from '@nestjs/platform-express';
import { AccountsService } from '@passwright/accounts';
import {
  type AuthenticatedRequest,
  PayloadTooLarge,
  ValidationFailed,
  whileAllowed,
  withoutSlot,
} from '@passwright/core';
import { EMPTY, from, lastValueFrom, type Observable } from 'rxjs';
import { maxImageBytes } from '../processing/image-limits.js';
import { imagePurposes } from '../variants/prepared-image.js';
import { UploadMemory } from './upload-memory.service.js';

/** One image part of an upload. */
export interface UploadedImage {
  /** The part's name: one of `imagePurposes`, each at most once. */
  readonly fieldname: string;
  readonly buffer: Uint8Array;
}

type UploadRequest = IncomingMessage & AuthenticatedRequest & Upload;

interface Upload {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly files?: readonly UploadedImage[];
}

const Parts = AnyFilesInterceptor({
  limits: { fileSize: maxImageBytes, files: imagePurposes.length, fields: 8, fieldSize: 1024, parts: 16 },
  fileFilter: (
    _request: unknown,
    { fieldname }: { fieldname: string },
    accept: (error: Error | null, ok: boolean) => void,
  ) => {
    const isKnown = (imagePurposes as readonly string[]).includes(fieldname);
    accept(isKnown ? null : new ValidationFailed(unknownPart(fieldname)), isKnown);
  },
});

/** The maximum size of all parts, plus headers and boundaries. */
const maxBodyBytes = imagePurposes.length * maxImageBytes + 64 * 1024;

/**
 * Reads a multipart body of image files into memory. Each file has at most 5 MiB and is named after its purpose. The
 * request takes a slot in the concurrency limiter only after all images have arrived. Aborts the upload if the
 * credential is revoked.
 * @throws RateLimited, PayloadTooLarge, Unauthorized, and ValidationFailed for an unknown part, a repeated part, or a
 * body without parts
 */
@Injectable()
export class ImageUploadInterceptor implements NestInterceptor {
  private readonly parts: NestInterceptor = new Parts();

  constructor(
    private readonly memory: UploadMemory,
    private readonly accounts: AccountsService,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.inMemory(context, next));
  }

  private async inMemory(context: ExecutionContext, next: CallHandler): Promise<unknown> {
    const request = context.switchToHttp().getRequest<UploadRequest>();
    const share = await this.accounts.shareOf(request.principal?.accountId ?? '');
    const bytes = declaredBytes(request);
    this.memory.take(share, bytes);
    try {
      await this.read(context);
      return await lastValueFrom<unknown>(next.handle());
    } finally {
      this.memory.release(share, bytes);
    }
  }

  private async read(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<UploadRequest>();
    try {
      // Do not wait for the body of a disconnected client, because it never ends.
      if (!request.socket.destroyed) {
        const reading = withoutSlot(async () => this.parts.intercept(context, { handle: () => EMPTY }));
        await whileAllowed(request, reading);
      }
    } catch (error) {
      if (!request.socket.destroyed) throw rejection(error);
    }
    if (request.socket.destroyed) throw new ValidationFailed('the request ended before its images had arrived');
    requireParts(request);
  }
}

/** Returns the maximum size that the body can have. */
function declaredBytes({ headers }: IncomingMessage): number {
  const declared = Number(headers['content-length']);
  return Number.isFinite(declared) ? Math.min(declared, maxBodyBytes) : maxBodyBytes;
}

function rejection(error: unknown): unknown {
  if (error instanceof PayloadTooLargeException) return new PayloadTooLarge('An image is larger than 5 MiB.');
  if (error instanceof BadRequestException)
    return new ValidationFailed(`the multipart body is rejected: ${error.message}`);
  return error;
}

function requireParts({ body = {}, files = [] }: UploadRequest): void {
  const names = files.map(({ fieldname }) => fieldname);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const [text] = Object.keys(body);
  if (text !== undefined) throw new ValidationFailed(unknownPart(text));
  if (twice !== undefined) throw new ValidationFailed(`part ${twice} is sent twice; send each image once`);
  if (names.length === 0) throw new ValidationFailed(`no image is sent; ${partNames}`);
}

const partNames = `the parts are files named ${imagePurposes.join(', ')}`;

function unknownPart(name: string): string {
  return `part ${JSON.stringify(name.slice(0, 64))} is not an image of a template; ${partNames}`;
}
