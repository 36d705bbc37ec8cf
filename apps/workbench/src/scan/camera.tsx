import { useEffect, useRef, useState } from 'preact/hooks';
import { type Sight, sightsOf } from '../model/scan.js';
import { codeReader } from './code-reader.js';

const BETWEEN_PICTURES_MS = 150;

interface Handlers {
  /** Called with each code, once while the code stays in sight. */
  readonly onCode: (code: string) => void;
  /** Called with a code that is back in sight too soon to count as a new scan. */
  readonly onReturn: (code: string) => void;
  readonly onEnd: (problem: string) => void;
}

/** The picture of the camera, and the codes in it. */
export function Camera(handlers: Handlers) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    run(
      video.current,
      ending.signal,
      () => setOn(true),
      ({ code, isNew }) => (isNew ? latest.current.onCode(code) : latest.current.onReturn(code)),
    ).catch((error: unknown) => ending.signal.aborted || latest.current.onEnd(problemOf(error)));
    return () => ending.abort();
  }, []);
  return (
    <div class="camera">
      {/* A picture of the camera has no sound, and no captions. */}
      <video ref={video} muted playsInline aria-label="Picture of the camera" />
      {!isOn && <p role="status">Starting the camera …</p>}
    </div>
  );
}

async function run(
  video: HTMLVideoElement | null,
  signal: AbortSignal,
  onStart: () => void,
  onSight: (sight: Sight) => void,
): Promise<void> {
  const read = await codeReader();
  if (!read) throw new Error('no reader');
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  const stop = () => stream.getTracks().forEach((track) => track.stop());
  if (signal.aborted || !video) return stop();
  signal.addEventListener('abort', stop);
  video.srcObject = stream;
  await video.play();
  onStart();
  const sights = sightsOf();
  while (!signal.aborted) {
    const codes = video.readyState >= video.HAVE_CURRENT_DATA ? await read(video) : [];
    for (const sight of sights(codes, performance.now())) if (!signal.aborted) onSight(sight);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PICTURES_MS));
  }
}

function problemOf(error: unknown): string {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  if (message === 'no reader') {
    return 'This browser cannot read codes with the camera; Chrome on Android can. Type the code, or use a scanner that types.';
  }
  if (name === 'NotAllowedError') return 'The browser may not use the camera. Allow it in the settings of this site.';
  if (name === 'NotFoundError') return 'This device has no camera.';
  return `The camera cannot be used: ${message}`;
}
