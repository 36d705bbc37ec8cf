/** Reads the codes in a picture of the camera. */
export type CodeReader = (video: HTMLVideoElement) => Promise<readonly string[]>;

interface Detector {
  detect(video: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** The formats of codes that passes have, by the names of browsers. */
const formats = [
  'qr_code',
  'pdf417',
  'aztec',
  'code_128',
  'code_39',
  'codabar',
  'data_matrix',
  'ean_13',
  'ean_8',
  'itf',
];

/**
 * Returns the browser's own reader; null if it has none. Chrome has one on Android, macOS and ChromeOS.
 * https://developer.mozilla.org/docs/Web/API/BarcodeDetector
 */
export async function codeReader(): Promise<CodeReader | null> {
  const { BarcodeDetector: detectors } = globalThis as { BarcodeDetector?: DetectorClass };
  const supported = (await detectors?.getSupportedFormats().catch(() => [])) ?? [];
  const known = formats.filter((format) => supported.includes(format));
  if (!detectors || known.length === 0) return null;
  const detector = new detectors({ formats: known });
  return async (video) => (await detector.detect(video)).map(({ rawValue }) => rawValue);
}
