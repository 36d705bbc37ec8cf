import { Controller, HttpCode, Param, Post, UploadedFiles, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  LimitExceeded,
  PayloadTooLarge,
  type Principal,
  RequireScope,
  UnsupportedMediaType,
  ValidationFailed,
} from '@passwright/core';
import {
  exampleBaseUrl,
  ImageInvalid,
  imagePurposes,
  ImagesService,
  ImageUploadInterceptor,
  type ImageUrls,
  type UploadedImage,
} from '@passwright/images';
import { TemplateIdPipe } from '../templates/template-id.pipe.js';

const eachPurpose = <T>(of: T) => Object.fromEntries(imagePurposes.map((purpose) => [purpose, of]));

@ApiTags('templates')
@Controller('v1/templates')
export class TemplateImagesController {
  constructor(private readonly images: ImagesService) {}

  @Post(':templateId/images')
  @HttpCode(200)
  @RequireScope('templates:write')
  @UseInterceptors(ImageUploadInterceptor)
  @ApiOperation({
    operationId: 'uploadTemplateImages',
    summary: 'Upload images, to name their URLs in a template',
    description:
      'Send any of `icon`, `logo`, `banner`, `background` and `thumbnail`: PNG, JPEG or WebP, told by their content, at most ' +
      '5 MiB, 25 megapixels and 10,000 pixels a side each, not animated. They are checked, stripped of metadata and kept; the answer has their ' +
      'URLs. The template itself is not changed and need not exist yet: send the URLs in its upsert, or as the `thumbnail` ' +
      'of a pass, within 24 hours. An upload that no template or pass names then is deleted, and so is a pass’s when ' +
      'the last that shows it goes or gets another.',
  })
  @ApiParam({ name: 'templateId', description: 'Chosen by the caller.', example: 'summer-sale' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: { type: 'object', properties: eachPurpose({ type: 'string', format: 'binary' }), minProperties: 1 },
  })
  @ApiOkResponse({
    description: 'The URLs of the images that were sent.',
    schema: {
      type: 'object',
      properties: eachPurpose({ type: 'string', format: 'uri' }),
      example: { icon: `${exampleBaseUrl}/images/acc_3kTq9ZbXcVn1MlPoIu7Yt2/${'2c26b46b68ffc68f'.repeat(4)}.png` },
    },
  })
  @ApiErrors(ValidationFailed, ImageInvalid, LimitExceeded, PayloadTooLarge, UnsupportedMediaType)
  upload(
    @Caller() { accountId }: Principal,
    @Param('templateId', TemplateIdPipe) _templateId: string,
    @UploadedFiles() files: UploadedImage[],
  ): Promise<ImageUrls> {
    return this.images.storeAll(
      accountId,
      Object.fromEntries(files.map(({ fieldname, buffer }) => [fieldname, buffer])),
    );
  }
}
