export { ImageGarbageCollector } from './garbage/image-garbage-collector.service.js';
export { ImageListener } from './garbage/image.listener.js';
export { ImagesModule } from './images.module.js';
export { ImagesOptions } from './images.options.js';
export { DraftImages } from './images/draft-images.service.js';
export { ImageInspector } from './images/image-inspector.service.js';
export { ImageInvalid } from './images/images.errors.js';
export { ImagesService, type ImageUrls, type KnownImages, type PrepareOptions } from './images/images.service.js';
export { drawable, rasterised, type SmallCopy } from './processing/image-codec.js';
export { maxImageBytes } from './processing/image-limits.js';
export type { ImageVariants, PixelSize } from './processing/image-processing.service.js';
export { SizedCache } from './processing/sized-cache.js';
export { exampleBaseUrl, sampleUrl, withBaseUrl } from './samples/example-url.js';
export { ImageRequests } from './sources/image-requests.service.js';
export { imageKey, imageTypeOf } from './storage/image-key.js';
export { storedImages } from './storage/stored-images.repository.js';
export { ImageUploadInterceptor, type UploadedImage } from './uploads/image-upload.interceptor.js';
export { imageTypes, type ImageExtension, type ImageFile } from './variants/image-file.js';
export {
  imagePurposes,
  type ImagePurpose,
  type PreparedFile,
  type PreparedPurpose,
} from './variants/prepared-image.js';
export type { LocalisedImages, PreparedImage, PreparedImages } from './variants/prepared-image.js';
