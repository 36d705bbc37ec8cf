import { useState } from 'preact/hooks';
import { type Finding, findingsAt } from '../model/findings.js';
import { languageName } from '../model/languages.js';
import { type Body, textOf, withProperty } from '../model/template.js';
import { pathOf, purposeOf, tablesOf, textsOf, withTable, withTranslation } from '../model/translations.js';
import { SelectField, TextField } from '../ui/field.js';
import { NewLanguage } from '../ui/new-language.js';
import { ImageField } from './image-field.js';

interface TranslationProps {
  readonly draft: Body;
  readonly templateId: string;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

/** The language of the template's own texts, and its texts in other languages. */
export function TranslationFields({ draft, templateId, findings, onChange }: TranslationProps) {
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
        {...findingsAt(findings, 'language')}
      />
      {shown !== null && (
        <>
          <SelectField
            label="Texts in"
            value={shown}
            options={tags.map((tag) => [tag, `${languageName(tag)} (${tag})`] as const)}
            onChange={choose}
          />
          <Texts {...{ draft, templateId, findings, onChange }} tag={shown} />
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

/** The texts and images of a template in one language. The placeholder of each text is the template's own. */
function Texts({ draft, templateId, findings, onChange, tag }: TranslationProps & { tag: string }) {
  const table = tablesOf(draft)[tag] ?? {};
  const input = (key: string) => ({
    value: textOf(table, key),
    onChange: (value: string) => onChange(withTranslation(draft, tag, key, value)),
  });
  const all = textsOf(draft).map((text) => ({ ...text, purpose: purposeOf(text.key) }));
  const ofImages = all.filter(({ purpose }) => purpose !== null).map(({ key }) => `$.${pathOf(tag, key)}`);
  const ofTexts = findings.filter(({ path }) => !ofImages.includes(path));
  const said = findingsAt(ofTexts, pathOf(tag));
  return (
    <div class="stack" role="group" aria-label={`Texts in ${tag}`}>
      <div class="row">
        {all.map(({ key, text, purpose }) =>
          purpose === null ? <TextField key={key} label={key} placeholder={text} {...input(key)} /> : null,
        )}
        {said.error && <p class="wrong">{said.error}</p>}
        {said.warning && <p class="doubt">{said.warning}</p>}
      </div>
      <div class="columns">
        {all.map(({ key, purpose }) =>
          purpose === null ? null : (
            <ImageField
              key={`${tag} ${key}`}
              {...{ purpose, templateId }}
              label={key}
              hint="Empty: the image of the template."
              {...input(key)}
              {...findingsAt(findings, pathOf(tag, key))}
            />
          ),
        )}
      </div>
      <p class="row-actions">
        <button type="button" onClick={() => onChange(withTable(draft, tag, null))}>
          Remove this language
        </button>
      </p>
    </div>
  );
}
