export { Action, actionsDescription } from './fields/action.dto.js';
export { BackField, Field } from './fields/field.dto.js';
export { Location } from './fields/location.dto.js';
export {
  groupDescription,
  linkedPassesDescription,
  maxLinkedPasses,
  PassGroupRequest,
  PassReferenceRequest,
} from './fields/pass-relations.dto.js';
export { LanguageTag, storedLanguage, storedTranslations, TextsInLanguages } from './fields/translations.decorator.js';
export { type ChangeNotices, changeNotices, noNotices, type SentNotice } from './notices/change-notices.js';
export { Notifications, toNotifications } from './notices/notifications.dto.js';
export {
  imagesForReader,
  imagesIn,
  type ImagesOfTemplate,
  localisedBytes,
  localisedPurposesOf,
  MAX_PACKAGE_BYTES,
} from './templates/localised-images.js';
export { replacedTranslations, storedAction, storedField } from './templates/template-content.js';
export {
  sendPreview,
  ApiPreview,
  type PreviewHttpRequest,
  type PreviewHttpResponse,
} from './preview/preview-response.js';
export { PreviewQuery } from './preview/preview-query.dto.js';
export { Previews, type PreviewSubject } from './preview/previews.service.js';
export { TemplateLint } from './lint/template-lint.service.js';
export { TemplateListener } from './templates/template.listener.js';
export { TemplateUsageListener } from './templates/template-usage.listener.js';
export { joinedColumns, joinTemplate, splitTemplate } from './templates/template-join.js';
export {
  shareTemplate,
  shareTemplates,
  takeTemplate,
  type TemplateAddress,
  templateUnchanged,
} from './templates/template-lock.js';
export { templateTag, toTemplateResponse, type TemplateResponse } from './templates/template-response.dto.js';
export {
  EventTemplateRequest,
  GenericTemplateRequest,
  MembershipTemplateRequest,
  OfferTemplateRequest,
} from './templates/template.dto.js';
export type { TemplateRequest } from './templates/template.dto.js';
export { Template } from './templates/template.entity.js';
export { TemplateChanged } from './templates/templates.jobs.js';
export { TemplateArchived, TemplateInUse, TemplateNotFound } from './templates/templates.errors.js';
export { TemplatesModule } from './templates.module.js';
export { TemplatesOptions } from './templates.options.js';
export { TemplatesService } from './templates/templates.service.js';
export type { TemplateFront } from './versions/template-front.js';
export { type KnownTemplate, TemplateVersionsRepository } from './versions/template-versions.repository.js';
