import { Controller, HttpCode, Param, Post, UploadedFiles, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  StorageUnavailable,
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
    summary: 'Upload images for a template',
    description:
      'Send any of `icon`, `logo`, `banner`, `background`, `thumbnail` and `artwork` as PNG, JPEG or WebP: at ' +
      'most 5 MiB, 25 megapixels and 10,000 pixels per side each, not animated. The service checks the images, ' +
      'strips their metadata, stores them and returns their URLs. The template itself does not change and need ' +
      'not exist yet. Send the URLs when you save the template, or as the `thumbnail` of a pass, within 24 ' +
      'hours. Unused uploads are then deleted.',
  })
  @ApiParam({ name: 'templateId', description: 'The id that you choose for the template.', example: 'summer-sale' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({
    schema: { type: 'object', properties: eachPurpose({ type: 'string', format: 'binary' }), minProperties: 1 },
  })
  @ApiOkResponse({
    description: 'The URLs of the uploaded images.',
    schema: {
      type: 'object',
      properties: eachPurpose({ type: 'string', format: 'uri' }),
      example: { icon: `${exampleBaseUrl}/images/acc_3kTq9ZbXcVn1MlPoIu7Yt2/${'2c26b46b68ffc68f'.repeat(4)}.png` },
    },
  })
  @ApiErrors(ValidationFailed, ImageInvalid, LimitExceeded, PayloadTooLarge, UnsupportedMediaType, StorageUnavailable)
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
