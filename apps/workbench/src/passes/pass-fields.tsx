import { fromInput, toInput } from '../model/dates.js';
import type { PassInput } from '../model/pass.js';
import { type Body, itemsOf, textOf } from '../model/template.js';
import { AreaField, TextField } from '../ui/field.js';

interface PassFieldsProps {
  readonly template: Body;
  readonly input: PassInput;
  /** The sentences of an API error, by the property that they are about. */
  readonly problems: ReadonlyMap<string, string>;
  /** True for a pass that has an id already. */
  readonly isIssued: boolean;
  readonly onChange: (input: PassInput) => void;
}

/** The inputs of a pass: the value that its template asks for, its fields, its times and its metadata. */
export function PassFields({ template, input, problems, isIssued, onChange }: PassFieldsProps) {
  const set = (changes: Partial<PassInput>) => onChange({ ...input, ...changes });
  const primaryLabel = textOf(template, 'primaryLabel');
  const fields = [...itemsOf(template, 'fields'), ...itemsOf(template, 'backFields')];
  const error = (name: string) => [...problems].find(([path]) => new RegExp(`^${name}(?:$|[.[])`).test(path))?.[1];
  const text = (name: 'id' | 'code' | 'primaryValue' | 'language') => ({
    value: input[name],
    error: error(name),
    onChange: (value: string) => set({ [name]: value }),
  });
  const time = (name: 'validFrom' | 'expiry') => ({
    type: 'datetime-local' as const,
    value: toInput(input[name]),
    error: error(name),
    onChange: (value: string) => set({ [name]: fromInput(value) ?? '' }),
  });
  return (
    <div class="stack">
      {primaryLabel !== '' && <TextField label={primaryLabel} {...text('primaryValue')} />}
      {error('fields') && <p class="wrong">{error('fields')}</p>}
      {error('backFields') && <p class="wrong">{error('backFields')}</p>}
      {fields.map((field) => {
        const key = textOf(field, 'key');
        return (
          <TextField
            key={key}
            label={textOf(field, 'label') || key}
            placeholder={textOf(field, 'value')}
            value={input.values[key] ?? ''}
            onChange={(value) => set({ values: { ...input.values, [key]: value } })}
          />
        );
      })}
      <div class="columns">
        <TextField label="Valid from" {...time('validFrom')} />
        <TextField label="Expires" {...time('expiry')} />
      </div>
      <div class="columns">
        {!isIssued && <TextField label="Id" hint="Empty: the service chooses an unguessable id." {...text('id')} />}
        <TextField
          label="Code"
          hint="The content of the barcode. Empty: the service chooses an unguessable code."
          {...text('code')}
        />
      </div>
      <Relations {...{ input, set }} error={error} language={text('language')} />
      <AreaField
        label="Metadata"
        hint="JSON for your own systems. A pass never shows it."
        class="code"
        rows={3}
        value={input.metadata}
        error={error('metadata')}
        onChange={(metadata) => set({ metadata })}
      />
    </div>
  );
}

interface RelationsProps {
  readonly input: PassInput;
  readonly language: { readonly value: string; readonly error?: string; readonly onChange: (value: string) => void };
  readonly error: (name: string) => string | undefined;
  readonly set: (changes: Partial<PassInput>) => void;
}

/** The holder's language, and the other passes that belong to the pass. */
function Relations({ input, language, error, set }: RelationsProps) {
  return (
    <>
      <TextField label="Language of the holder" hint="A tag such as de. Empty: unknown." {...language} />
      <div class="columns">
        <TextField
          label="Group"
          hint="Give the same group to passes of one holder that belong together."
          value={input.groupId}
          error={error('group')}
          onChange={(groupId) => set({ groupId })}
        />
        <TextField
          label="Place in the group"
          inputMode="numeric"
          value={input.groupOrder}
          onChange={(groupOrder) => set({ groupOrder })}
        />
      </div>
      <AreaField
        label="Linked passes"
        hint="Other passes of the same holder, one on each line: template/pass."
        class="code"
        rows={2}
        value={input.linkedPasses}
        error={error('linkedPasses')}
        onChange={(linkedPasses) => set({ linkedPasses })}
      />
    </>
  );
}

/** The properties of a pass that an error may name. */
export const passProperties = [
  ...['id', 'code', 'primaryValue', 'validFrom', 'expiry', 'language', 'group', 'linkedPasses'],
  ...['fields', 'backFields', 'locations', 'metadata', 'thumbnail', 'voided'],
];
