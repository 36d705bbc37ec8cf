export { imagePurposes, type ImagePurpose, type PreparedFile } from './template-images.js';
export type { PreparedImage, TemplateImages } from './template-images.js';
export { Template } from './template.entity.js';
export { ImageInvalid, TemplateArchived, TemplateInUse, TemplateNotFound } from './templates.errors.js';
