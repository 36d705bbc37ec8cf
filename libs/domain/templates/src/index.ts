export { exampleBaseUrl, sampleUrl, withBaseUrl } from './example-url.js';
export { BackField, Field } from './field.dto.js';
export { ImageHold } from './image-hold.entity.js';
export { ImageSweeper } from './image-sweeper.js';
export { Location } from './location.dto.js';
export { storedField } from './template-content.js';
export { imagePurposes, type ImagePurpose, type PreparedFile } from './template-images.js';
export type { PreparedImage, TemplateImages } from './template-images.js';
export { answerPreview, ApiPreview, type PreviewRequest, type PreviewResponse } from './preview/preview-answer.js';
export { PreviewQuery } from './preview/preview-query.dto.js';
export { Previews, type PreviewSubject } from './preview/previews.service.js';
export { TemplateImagesService } from './template-images.service.js';
export type { ImageUrls } from './template-images.service.js';
export { TemplateLint } from './template-lint.service.js';
export { TemplateListener } from './template.listener.js';
export { shareTemplate, shareTemplates, takeTemplate, type TemplateAddress } from './template-lock.js';
export { templateTag, toTemplateResponse, type TemplateResponse } from './template-response.dto.js';
export {
  EventTemplateRequest,
  GenericTemplateRequest,
  MembershipTemplateRequest,
  OfferTemplateRequest,
} from './template.dto.js';
export type { TemplateRequest } from './template.dto.js';
export { Template } from './template.entity.js';
export { TemplateChanged } from './templates.jobs.js';
export { ImageInvalid, TemplateArchived, TemplateInUse, TemplateNotFound } from './templates.errors.js';
export { TemplatesModule } from './templates.module.js';
export { TemplatesOptions } from './templates.options.js';
export { TemplatesService } from './templates.service.js';
