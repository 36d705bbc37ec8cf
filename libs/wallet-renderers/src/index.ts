export type { FieldSets, RenderField, RenderLocation, RenderPass, RenderTemplate, RenderType } from './model.js';
export { appleColour, colourPattern, cssColour, hexColour, isColour, parseColour } from './colour.js';
export type { Colour } from './colour.js';
export {
  fieldKeyPattern,
  fieldProblems,
  isFieldKey,
  maxFrontFields,
  mergedFields,
  mergeFields,
} from './merged-fields.js';
export { locationProblems, maxLocations, mergedLocations } from './merged-locations.js';
export { isVoided, passState } from './pass-state.js';
export type { PassState } from './pass-state.js';
export { applePassJson } from './apple/pass-json.js';
export type { ApplePassContext, ApplePassJson } from './apple/pass-json.js';
export { appleImageFile, appleImageSize, appleImageSlots, appleScales } from './apple/image-slots.js';
export type { AppleImageSlot, ApplePurpose, AppleScale } from './apple/image-slots.js';
export { webPage } from './web/page.js';
export type { WebPage } from './web/page.js';
export type { WebImages, WebPageContext } from './web/page-context.js';
export { compileFiles, compilePackage, PackageKit } from './apple/package.js';
export type { CompiledFiles, PackageDraft, PackageFile } from './apple/package.js';
