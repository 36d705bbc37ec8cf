import { Controller, Get, Headers, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiNotModifiedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  BlobStorage,
  namesTag,
  NotFound,
  type OpenBlob,
  parseTags,
  Public,
  StorageUnavailable,
} from '@passwright/core';
import { imageKey, imageTypeOf } from './image-key.js';
import { sampleImage } from '../samples/sample-images.js';
import { StoredImagesRepository } from './stored-images.repository.js';

/** The properties of Express's response that this controller uses. */
interface HeaderResponse {
  set(headers: Record<string, string>): unknown;
  status(code: number): unknown;
}

/**
 * Serves the images of templates to wallets and web views. An image's address is derived from its content, so the
 * content never changes.
 */
@ApiTags('templates')
@Controller('images')
export class ImagesController {
  constructor(
    private readonly storage: BlobStorage,
    private readonly stored: StoredImagesRepository,
  ) {}

  @Get('samples/:file')
  @Public()
  @ApiOperation({
    operationId: 'getSampleImage',
    summary: 'Get a sample image',
    description:
      'Returns icon.png, logo.png, banner.png, background.png, thumbnail.png or artwork.png, which the examples use.',
  })
  @ApiParam({ name: 'file', example: 'icon.png' })
  @ApiOkResponse({ description: 'The image.', content: { 'image/png': {} } })
  @ApiErrors(NotFound)
  async sample(
    @Param('file') file: string,
    @Res({ passthrough: true }) response: HeaderResponse,
  ): Promise<StreamableFile> {
    const bytes = await sampleImage(file);
    if (!bytes) throw noImage();
    response.set({ ...headers, 'Cache-Control': 'public, max-age=86400' });
    return new StreamableFile(bytes, { type: 'image/png', length: bytes.length });
  }

  @Get(':accountId/:file')
  @Public()
  @ApiOperation({
    operationId: 'getImage',
    summary: 'Get an image of a template',
    description:
      'Returns an image that never changes, so you may cache it forever. The upload route returns its address.',
  })
  @ApiParam({ name: 'accountId', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' })
  @ApiParam({ name: 'file', example: `${'2c26b46b68ffc68f'.repeat(4)}.png` })
  @ApiOkResponse({ description: 'The image.', content: { 'image/png': {}, 'image/jpeg': {}, 'image/webp': {} } })
  @ApiNotModifiedResponse({ description: 'The client already has the image.' })
  @ApiErrors(NotFound, StorageUnavailable)
  async image(
    @Param('accountId') accountId: string,
    @Param('file') file: string,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) response: HeaderResponse,
  ): Promise<StreamableFile | undefined> {
    const key = imageKey(accountId, file);
    const etag = `"${file}"`;
    const isStored = key !== null && ifNoneMatch !== undefined && namesTag(parseTags(ifNoneMatch), etag);
    const blob = key === null || isStored ? null : await this.storage.open(key);
    if (!blob && !isStored) {
      if (key !== null) await this.stored.acceptMissing(accountId, key);
      throw noImage();
    }
    response.set({ ...headers, 'Cache-Control': 'public, max-age=31536000, immutable', ETag: etag });
    if (blob) return streamed(blob, imageTypeOf(file));
    response.status(304);
  }
}

// Allow other hosts to load the images, because wallet services and pages do.
const headers = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** The properties of Express's response that `streamed` uses. */
interface StreamedResponse {
  readonly headersSent: boolean;
  readonly req: { next(error: unknown): void };
  destroy(): void;
}

/**
 * Streams an image. Responds with 503 if the stream fails before its first byte, and breaks off the response if it
 * fails later.
 */
function streamed({ stream, sizeBytes }: OpenBlob, type: string): StreamableFile {
  return new StreamableFile(stream, { type, length: sizeBytes }).setErrorHandler((error, response) => {
    const reply = response as unknown as StreamedResponse;
    if (reply.headersSent) reply.destroy();
    else reply.req.next(new StorageUnavailable(error));
  });
}

function noImage(): NotFound {
  return new NotFound('There is no such image; upload one, and use the URL of the response.');
}
