import { useState } from 'preact/hooks';
import { type Picture, readersTheme, type Theme } from '../api/draft-preview.js';
import { useWho } from '../api/current-user.js';
import { languageOptions } from '../model/languages.js';
import { type Body, itemsOf, textOf } from '../model/template.js';
import { Choice, Failure, Loading } from '../ui/parts.js';
import { LanguageChoice, Pictures, themes } from '../ui/pictures.js';
import { useLoad } from '../ui/use-load.js';
import type { StoredPass } from './stored-pass.js';

const wallets = ['walletA', 'walletB', 'web'] as const;
type System = 'ios27' | 'ios26';
const systems = [
  ['ios27', 'iOS 27'],
  ['ios26', 'iOS 26 and earlier'],
] as const;

/** The drawings of a stored pass, by appearance, language and generation of the phone. */
export function PassPictures({ stored }: { stored: StoredPass }) {
  const { session } = useWho();
  const [theme, setTheme] = useState<Theme>(readersTheme);
  const [system, setSystem] = useState<System>('ios27');
  const { pass, template } = { ...stored, ...stored.passWithLinks };
  const [lang, setLang] = useState('');
  const { templateId, id: passId } = pass;
  const { data, error, reload } = useLoad<Picture[]>(
    JSON.stringify([templateId, passId, theme, system, lang]),
    (signal) =>
      Promise.all(
        wallets.map(async (wallet) => {
          const query = {
            wallet,
            theme,
            format: 'svg' as const,
            ...(lang !== '' && { lang }),
            ...(wallet === 'walletA' && { system }),
          };
          const svg = await session.api.previewPass({ templateId, passId, ...query, signal });
          return { wallet, theme, svg: typeof svg === 'string' ? svg : '' };
        }),
      ),
  );
  return (
    <section class="live" aria-labelledby="pass-pictures">
      <div class="live-head">
        <h2 id="pass-pictures">On phones</h2>
        <Choice label="Appearance" options={themes} value={theme} onChange={setTheme} />
        {looksDiffer(template as unknown as Body, pass as unknown as Body) && (
          <Choice label="Generation of Apple Wallet" options={systems} value={system} onChange={setSystem} />
        )}
        <LanguageChoice options={languageOptions(template as unknown as Body)} value={lang} onChange={setLang} />
      </div>
      <Failure error={error} onRetry={reload} />
      {data ? <Pictures pictures={data} /> : error === null && <Loading rows={6} />}
    </section>
  );
}

/** Returns true if older phones show less of a pass. */
function looksDiffer(template: Body, pass: Body): boolean {
  return (
    textOf(template, 'artwork') !== '' || itemsOf(template, 'actions').length + itemsOf(pass, 'actions').length > 0
  );
}
