import { fromInput, toInput } from '../model/dates.js';
import type { PassInput } from '../model/pass.js';
import { type Body, itemsOf, textOf } from '../model/template.js';
import { AreaField, TextField } from '../ui/field.js';

interface PassFieldsProps {
  readonly template: Body;
  readonly input: PassInput;
  /** Sentences of the API by property. */
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
  const error = (name: string) => [...problems].find(([path]) => path === name || path.startsWith(`${name}[`))?.[1];
  const text = (name: 'id' | 'code' | 'primaryValue') => ({
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
        {!isIssued && <TextField label="Id" hint="Empty: the service makes an unguessable one." {...text('id')} />}
        <TextField label="Code" hint="The content of the barcode. Empty: an unguessable one." {...text('code')} />
      </div>
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

/** The properties of a pass that an error may name. */
export const passProperties = [
  ...['id', 'code', 'primaryValue', 'validFrom', 'expiry'],
  ...['fields', 'backFields', 'locations', 'metadata', 'thumbnail', 'voided'],
];
