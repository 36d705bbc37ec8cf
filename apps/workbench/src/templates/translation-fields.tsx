import { useState } from 'preact/hooks';
import { type Finding, findingsAt } from '../model/findings.js';
import { languageName } from '../model/languages.js';
import { type Body, textOf, withProperty } from '../model/template.js';
import { tablesOf, tagOf, textsOf, withTable, withTranslation } from '../model/translations.js';
import { SelectField, TextField } from '../ui/field.js';

interface TranslationProps {
  readonly draft: Body;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

/** The language of the template's own texts, and its texts in other languages. */
export function TranslationFields({ draft, findings, onChange }: TranslationProps) {
  const tags = Object.keys(tablesOf(draft));
  const [chosen, choose] = useState('');
  const shown = tags.includes(chosen) ? chosen : (tags[0] ?? null);
  return (
    <fieldset>
      <legend>Languages</legend>
      <TextField
        label="Language of the texts above"
        hint="A tag such as en or pt-BR. Empty: the language of the service."
        value={textOf(draft, 'language')}
        onChange={(value) => onChange(withProperty(draft, 'language', value))}
        {...findingsAt(findings, 'template', 'language')}
      />
      {shown !== null && (
        <>
          <SelectField
            label="Texts in"
            value={shown}
            options={tags.map((tag) => [tag, `${languageName(tag)} (${tag})`] as const)}
            onChange={choose}
          />
          <Texts {...{ draft, findings, onChange }} tag={shown} />
        </>
      )}
      <NewLanguage
        tags={tags}
        onAdd={(tag) => {
          choose(tag);
          onChange(withTable(draft, tag, {}));
        }}
      />
    </fieldset>
  );
}

/** The texts of a template in one language. The placeholder of each is the template's own text. */
function Texts({ draft, findings, onChange, tag }: TranslationProps & { tag: string }) {
  const table = tablesOf(draft)[tag] ?? {};
  const said = findingsAt(findings, 'template', `translations.${tag}`);
  return (
    <div class="row" role="group" aria-label={`Texts in ${tag}`}>
      {textsOf(draft).map(({ key, text }) => (
        <TextField
          key={key}
          label={key}
          placeholder={text}
          value={textOf(table, key)}
          onChange={(value) => onChange(withTranslation(draft, tag, key, value))}
        />
      ))}
      {said.error && <p class="wrong">{said.error}</p>}
      {said.warning && <p class="doubt">{said.warning}</p>}
      <p class="row-actions">
        <button type="button" onClick={() => onChange(withTable(draft, tag, null))}>
          Remove this language
        </button>
      </p>
    </div>
  );
}

function NewLanguage({ tags, onAdd }: { tags: readonly string[]; onAdd: (tag: string) => void }) {
  const [text, setText] = useState('');
  const tag = tagOf(text.trim());
  const isKnown = tag !== null && tags.includes(tag);
  return (
    <div class="search">
      <TextField
        label="Add a language"
        placeholder="de"
        value={text}
        error={isKnown ? 'The template has this language.' : null}
        onChange={setText}
      />
      <button
        type="button"
        disabled={tag === null || isKnown}
        onClick={() => {
          if (tag === null) return;
          onAdd(tag);
          setText('');
        }}
      >
        Add
      </button>
    </div>
  );
}
