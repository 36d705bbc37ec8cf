import { useEffect, useState } from 'preact/hooks';
import type { Picture, Wallet } from '../api/draft-preview.js';

const names: Record<Wallet, string> = { walletA: 'Apple Wallet', walletB: 'Google Wallet', web: 'Web' };

/** The drawings of a pass side by side. The former ones stay until the next are drawn. */
export function Pictures({ pictures, isStale = false }: { pictures: readonly Picture[]; isStale?: boolean }) {
  return (
    <div class={`pictures${isStale ? ' stale' : ''}`}>
      {pictures.map((picture) => (
        <figure key={picture.wallet}>
          <figcaption>{names[picture.wallet]}</figcaption>
          <Drawn svg={picture.svg} alt={`The pass in ${names[picture.wallet]}`} />
        </figure>
      ))}
    </div>
  );
}

/** An SVG from the service as an image, where it can run nothing. */
function Drawn({ svg, alt }: { svg: string; alt: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const next = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(next);
    return () => URL.revokeObjectURL(next);
  }, [svg]);
  const [, width = '415', height = '600'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  return url === null ? (
    <span class="drawing" />
  ) : (
    <img class="drawing" src={url} alt={alt} width={Math.round(Number(width))} height={Math.round(Number(height))} />
  );
}
