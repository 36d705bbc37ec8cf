import { useEffect, useState } from 'preact/hooks';
import type { Picture, Wallet } from '../api/draft-preview.js';

const names: Record<Wallet, string> = { walletA: 'Apple Wallet', walletB: 'Google Wallet', web: 'Web' };
const systems: Readonly<Record<string, string>> = { ios27: 'iOS 27', ios26: 'iOS 26 and earlier' };

/** The appearances of a phone. */
export const themes = [
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** The language in which a pass is drawn. */
export function LanguageChoice(props: {
  options: readonly (readonly [tag: string, name: string])[];
  value: string;
  onChange: (tag: string) => void;
}) {
  const { options, value, onChange } = props;
  return (
    <label class="language">
      <span class="hidden">Language</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([tag, name]) => (
          <option key={tag} value={tag} selected={tag === value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The drawings of a pass side by side. The previous ones stay until the next ones are drawn. */
export function Pictures({ pictures, isStale = false }: { pictures: readonly Picture[]; isStale?: boolean }) {
  return (
    <div class={`pictures${isStale ? ' stale' : ''}`}>
      {pictures.map((picture) => (
        <figure key={`${picture.wallet} ${picture.system ?? ''}`}>
          <figcaption>{captionOf(picture)}</figcaption>
          <Drawn svg={picture.svg} alt={`The pass in ${captionOf(picture)}`} />
        </figure>
      ))}
    </div>
  );
}

function captionOf({ wallet, system }: Picture): string {
  return system === undefined ? names[wallet] : `${names[wallet]}, ${systems[system] ?? system}`;
}

/** Shows an SVG from the service as an image, in which no script can run. */
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
