export type {
  ActionType,
  CodeFormat,
  FieldSets,
  RenderAction,
  RenderField,
  MessageTranslations,
  RenderMessage,
  RenderLocation,
  RenderPass,
  RenderTemplate,
  RenderType,
  Translations,
} from './model.js';
export { actionTypes, maxActions, mergedActions } from './actions.js';
export type { WithActions } from './actions.js';
export { characterCount } from './character-count.js';
export { codeFormats, shownFormat } from './code-format.js';
export { appleColour, colourPattern, cssColour, hexColour, isColour, parseColour } from './colour.js';
export type { Colour } from './colour.js';
export { fieldKeyPattern, isFieldKey, maxFrontFields, mergedFields, mergeFields } from './merged-fields.js';
export { maxLocations, mergedLocations } from './merged-locations.js';
export { parsedUrl } from './parsed-url.js';
export { isVoided, passState } from './pass-state.js';
export type { PassState } from './pass-state.js';
export { canonicalTag } from './translations/language-tag.js';
export { imageKey, localisedPurposes, maxLocalisedImages } from './translations/localised-images.js';
export type { LocalisedPurpose } from './translations/localised-images.js';
export { withGeneralTags } from './translations/language-tag.js';
export {
  forReader,
  inLanguage,
  messageInLanguage,
  ownLanguage,
  templateInLanguage,
  titleInLanguage,
  translatedLanguages,
} from './translations/in-language.js';
export { textsOfPass, textsOfTemplate } from './translations/translatable-texts.js';
export type { TextsOfPass, TranslatableText } from './translations/translatable-texts.js';
export { localisedPass } from './apple/pass-strings.js';
export type { LocalisedPass } from './apple/pass-strings.js';
export { applePassJson } from './apple/pass-json.js';
export type { ApplePassContext, ApplePassJson } from './apple/pass-json.js';
export { deletedPassJson } from './apple/deleted-pass-json.js';
export type { DeletedRenderPass } from './apple/deleted-pass-json.js';
export { neutralIcon } from './apple/neutral-icon.js';
export { appleImageFile, appleImageSize, appleImageSlots, appleScales } from './apple/image-sizes.js';
export type { AppleImageSlot, ApplePurpose, AppleScale } from './apple/image-sizes.js';
export { googleClass } from './google/google-class.js';
export { googleDeletedObject, googleObject } from './google/google-object.js';
export { googleVertical } from './google/google-part.js';
export type { GoogleContext, GoogleIds, GoogleImages, GooglePart, GoogleVertical } from './google/google-part.js';
export { maxSaveLinkLength, saveReferences, saveResources } from './google/save-link-payload.js';
export type { GoogleReference } from './google/save-link-payload.js';
export { bundlePage } from './web/bundle-page.js';
export type { BundledPass, BundlePageContext } from './web/bundle-page.js';
export { barcodeSvg } from './web/barcode.js';
export type { Symbology } from './web/barcode.js';
export { webPage, webPageBuild } from './web/page.js';
export { readerOf, wantedFrom } from './web/reader.js';
export type { Reader, ReaderHints } from './web/reader.js';
export type { Device } from './web/user-agent.js';
export { readingFor, webLanguages } from './web/languages.js';
export type { Language, Reading } from './web/languages.js';
export { actionLinks } from './web/action-words.js';
export type { ActionLink } from './web/action-words.js';
export { rejectionPage } from './web/rejection-page.js';
export type { Rejection } from './web/rejection-page.js';
export { stateInWords } from './web/state-in-words.js';
export { startOfDay } from './venue-time.js';
export { eventPlace } from './venue-time-zone.js';
export { eventDay, timeZoneOf } from './web/page-view.js';
export { passColours } from './web/readable-colours.js';
export type { PassColours } from './web/readable-colours.js';
export type { WebPage } from './web/page.js';
export { passMail, passMailSubject } from './mail/pass-mail.js';
export type { PassMail } from './mail/pass-mail.js';
export { membershipNotice, reminderMail } from './mail/reminder-mail.js';
export type { EndingMembership, ReminderContext } from './mail/reminder-mail.js';
export { wantedInMail } from './mail/mail-view.js';
export type { MailContext, MailImage, PassMailContext } from './mail/mail-view.js';
export { oneLine, shortened } from './mail/mail-line.js';
export { hashOf } from './web/page-policy.js';
export { layout, palettes, variables } from './web/page-style.js';
export type { PassSummary, RelatedPasses, WalletBadge, WebImages, WebPageContext } from './web/page-context.js';
export { compileFiles, compilePackage, CompiledPackage } from './apple/package.js';
export { bundleOf, maxBundlePasses } from './apple/bundle.js';
export type { BundledPackage } from './apple/bundle.js';
export type { CompiledFiles, PackageDraft, PackageFile } from './apple/package.js';
export { changeMessagePattern, maxChangeMessageLength } from './apple/change-message.js';
export { currentLines, frontChanges, noticesOf, silentChangesOf, silentReasons } from './change-notices.js';
export type { ChangeNotice, FrontChange, Shown, SilentChange, SilentReason } from './change-notices.js';
export { examine, examineInTurns, passProblems, templateProblems } from './lint/lint.js';
export { lintRules } from './lint/lint-rules.js';
export type {
  LintContext,
  ExaminedImage,
  ExaminedImages,
  ExaminedPass,
  ExaminedPixels,
  Finding,
  Rule,
  Severity,
} from './finding.js';
export { differsBySystem, previewSystems, previewThemes, previewWallets } from './preview/preview-context.js';
export type {
  PreviewContext,
  PreviewImages,
  PreviewRelated,
  PreviewSystem,
  PreviewTheme,
  PreviewWallet,
} from './preview/preview-context.js';
export type { CutText } from './preview/drawing.js';
export type { PreviewImage } from './preview/preview-image.js';
export { preview, previewVersion, samplePass } from './preview/preview.js';
export type { Preview } from './preview/preview.js';
export { readTypefaces } from './preview/typeface.js';
export { cutTexts, previewPage } from './preview/preview-page.js';
export type { PreviewPageContent } from './preview/preview-page.js';
