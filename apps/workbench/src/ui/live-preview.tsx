import { useEffect, useRef, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { type DraftPreview, previewDraft, readersTheme, type Theme } from '../api/draft-preview.js';
import { type Finding, sentenceOf } from '../model/findings.js';
import { languageOptions } from '../model/languages.js';
import { isObject } from '../model/template.js';
import { Choice, Failure, Loading } from './parts.js';
import { LanguageChoice, Pictures, themes } from './pictures.js';

/** The pause in typing after which the draft is drawn. */
const PAUSE_MS = 350;

interface LiveProps {
  readonly templateId: string;
  readonly drafts: { readonly template?: unknown; readonly pass?: unknown };
  readonly onFindings?: (findings: readonly Finding[]) => void;
}

/** The pictures of a draft in all wallets, drawn again after each change. */
export function LivePreview({ templateId, drafts, onFindings }: LiveProps) {
  const [theme, setTheme] = useState<Theme>(readersTheme);
  const [lang, setLang] = useState('');
  const languages = languageOptions(isObject(drafts.template) ? drafts.template : {});
  const { preview, error, isStale } = useDraftPreview({ templateId, drafts, onFindings }, theme, lang);
  return (
    <section class="live" aria-labelledby="preview-heading">
      <div class="live-head">
        <h2 id="preview-heading">Preview</h2>
        <Choice label="Appearance" options={themes} value={theme} onChange={setTheme} />
        <LanguageChoice options={languages} value={lang} onChange={setLang} />
      </div>
      <Failure error={error} />
      {preview ? <Pictures pictures={preview.pictures} isStale={isStale} /> : error === null && <Loading rows={6} />}
      {preview && <Findings preview={preview} />}
    </section>
  );
}

function useDraftPreview({ templateId, drafts, onFindings }: LiveProps, theme: Theme, lang: string) {
  const { session } = useWho();
  const [preview, setPreview] = useState<DraftPreview | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [drawnKey, setDrawnKey] = useState('');
  const notify = useRef(onFindings);
  notify.current = onFindings;
  const key = JSON.stringify([templateId, drafts, theme, lang]);
  const isFirst = useRef(true);
  useEffect(() => {
    let isCurrent = true;
    const draw = async () => {
      try {
        const next = await previewDraft(session, templateId, drafts, { theme, lang });
        if (!isCurrent) return;
        setPreview(next);
        setError(null);
        notify.current?.(next.findings);
      } catch (failure) {
        if (isCurrent) setError(failure);
      }
      if (isCurrent) setDrawnKey(key);
    };
    const timer = setTimeout(() => void draw(), isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return { preview, error, isStale: drawnKey !== key };
}

/** The findings of the lint, and the texts that the wallets cut. */
function Findings({ preview: { findings, cut } }: { preview: DraftPreview }) {
  const shown = findings.filter((finding) => finding.in !== 'service');
  const texts = [...new Set(cut.map(({ text, shown: rest }) => `“${text}” is cut to “${rest}”`))];
  if (shown.length + texts.length === 0) return <p class="findings good-text">The lint has found no problems.</p>;
  return (
    <ul class="findings" aria-label="Findings of the lint">
      {shown.map((finding, at) => (
        <li key={at} class={finding.severity}>
          <strong>{finding.severity}</strong> <code>{finding.path.replace(/^\$\.?/, '') || finding.in}</code>{' '}
          {sentenceOf(finding)}
        </li>
      ))}
      {texts.map((text) => (
        <li key={text} class="info">
          <strong>cut</strong> {text}
        </li>
      ))}
    </ul>
  );
}
