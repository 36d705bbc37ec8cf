import { fromInput, toInput } from '../model/dates.js';
import { heldIn, type MessageInput, passStates } from '../model/message.js';
import { type Body, itemsOf, textOf } from '../model/template.js';
import { CheckField, SelectField, TextField } from '../ui/field.js';

interface FilterProps {
  readonly template: Body;
  readonly input: MessageInput;
  readonly problem: string | undefined;
  readonly onChange: (input: MessageInput) => void;
}

/** The fields that select which passes of a template get a message. */
export function FilterFields({ template, input, problem, onChange }: FilterProps) {
  const set = (changes: Partial<MessageInput>) => onChange({ ...input, ...changes });
  const fields = [...itemsOf(template, 'fields'), ...itemsOf(template, 'backFields')];
  const keys = fields.map((field) => [textOf(field, 'key'), textOf(field, 'label') || textOf(field, 'key')] as const);
  return (
    <fieldset>
      <legend>Who gets it</legend>
      <Group
        label="State of the pass"
        options={passStates}
        chosen={input.states}
        onChange={(states) => set({ states })}
      />
      <Group
        label="Where holders have it"
        options={heldIn}
        chosen={input.wallets}
        onChange={(wallets) => set({ wallets })}
      />
      <div class="columns">
        {(['expiresFrom', 'expiresBefore'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'expiresFrom' ? 'Expires at or after' : 'Expires before'}
            type="datetime-local"
            value={toInput(input[name])}
            onChange={(value) => set({ [name]: fromInput(value) ?? '' })}
          />
        ))}
      </div>
      <div class="columns">
        <SelectField
          label="Only passes whose field"
          value={input.fieldKey}
          options={[['', 'Any'], ...keys]}
          onChange={(fieldKey) => set({ fieldKey })}
        />
        {input.fieldKey !== '' && (
          <TextField label="Has the value" value={input.fieldValue} onChange={(fieldValue) => set({ fieldValue })} />
        )}
      </div>
      {problem && <p class="wrong">{problem}</p>}
    </fieldset>
  );
}

function Group<Name extends string>(props: {
  label: string;
  options: readonly (readonly [Name, string])[];
  chosen: readonly Name[];
  onChange: (chosen: Name[]) => void;
}) {
  const { label, options, chosen, onChange } = props;
  const names = options.map(([name]) => name);
  return (
    <div class="checks" role="group" aria-label={label}>
      <p class="small">
        <strong>{label}</strong>
      </p>
      {options.map(([name, text]) => (
        <CheckField
          key={name}
          label={text}
          checked={chosen.includes(name)}
          onChange={(on) => onChange(names.filter((each) => (each === name ? on : chosen.includes(each))))}
        />
      ))}
    </div>
  );
}
