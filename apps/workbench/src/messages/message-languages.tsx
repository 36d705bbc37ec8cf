import { languageName } from '../model/languages.js';
import type { MessageInput, MessageTexts } from '../model/message.js';
import { AreaField, TextField } from '../ui/field.js';
import { NewLanguage } from '../ui/new-language.js';

interface LanguagesProps {
  readonly translations: MessageInput['translations'];
  readonly error: string | undefined;
  readonly onChange: (translations: MessageInput['translations']) => void;
}

/** A message in other languages. Each phone and page shows the language of its holder. */
export function MessageLanguages({ translations, error, onChange }: LanguagesProps) {
  const set = (tag: string, texts: MessageTexts) => onChange({ ...translations, [tag]: texts });
  const remove = (tag: string) => {
    const { [tag]: _, ...others } = translations;
    onChange(others);
  };
  return (
    <fieldset>
      <legend>Other languages</legend>
      {Object.entries(translations).map(([tag, texts]) => (
        <div class="row" role="group" aria-label={`Message in ${tag}`} key={tag}>
          <TextField
            label={`Heading in ${languageName(tag)}`}
            value={texts.title}
            onChange={(title) => set(tag, { ...texts, title })}
          />
          <AreaField
            label={`Message in ${languageName(tag)}`}
            rows={2}
            value={texts.text}
            onChange={(text) => set(tag, { ...texts, text })}
          />
          <p class="row-actions">
            <button type="button" aria-label={`Remove ${languageName(tag)}`} onClick={() => remove(tag)}>
              Remove
            </button>
          </p>
        </div>
      ))}
      {error && <p class="wrong">{error}</p>}
      <NewLanguage tags={Object.keys(translations)} onAdd={(tag) => set(tag, { title: '', text: '' })} />
    </fieldset>
  );
}
