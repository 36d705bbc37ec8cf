export { BackField, Field } from './field.dto.js';
export { Location } from './location.dto.js';
export { storedField } from './template-content.js';
export { answerPreview, ApiPreview, type PreviewRequest, type PreviewResponse } from './preview/preview-answer.js';
export { PreviewQuery } from './preview/preview-query.dto.js';
export { Previews, type PreviewSubject } from './preview/previews.service.js';
export { TemplateLint } from './template-lint.service.js';
export { TemplateListener } from './template.listener.js';
export { joinTemplate } from './template-join.js';
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
export { TemplateArchived, TemplateInUse, TemplateNotFound } from './templates.errors.js';
export { TemplatesModule } from './templates.module.js';
export { TemplatesOptions } from './templates.options.js';
export { TemplatesService } from './templates.service.js';
