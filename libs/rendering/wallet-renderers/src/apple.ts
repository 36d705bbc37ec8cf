/**
 * The part of this library that builds Apple Wallet packages. It loads in a few milliseconds, even if it is bundled.
 */
export type {
  ActionType,
  CodeFormat,
  FieldSets,
  RenderAction,
  RenderField,
  RenderLocation,
  RenderMessage,
  RenderPass,
  RenderTemplate,
  RenderType,
  Translations,
} from './model.js';
export { bundleOf, maxBundlePasses } from './apple/bundle.js';
export type { BundledPackage } from './apple/bundle.js';
export { deletedPassJson } from './apple/deleted-pass-json.js';
export type { DeletedRenderPass } from './apple/deleted-pass-json.js';
export { appleImageFile, appleImageSize, appleImageSlots, appleScales } from './apple/image-sizes.js';
export type { AppleImageSlot, ApplePurpose, AppleScale } from './apple/image-sizes.js';
export { neutralIcon } from './apple/neutral-icon.js';
export { compileFiles, CompiledPackage, compilePackage } from './apple/package.js';
export type { CompiledFiles, PackageDraft, PackageFile } from './apple/package.js';
export { applePassJson } from './apple/pass-json.js';
export type { ApplePassContext, ApplePassJson } from './apple/pass-json.js';
export { localisedPass } from './apple/pass-strings.js';
export type { LocalisedPass } from './apple/pass-strings.js';
