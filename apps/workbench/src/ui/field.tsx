import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

/** The surroundings of an input: its label, a hint, and the errors of its value. */
interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly warning?: string | null;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

function Around(props: FieldProps & { children: (described: Described) => ComponentChildren }) {
  const { label, hint, error, warning, children } = props;
  const id = useId();
  const parts = [hint && `${id}-hint`, error && `${id}-error`, warning && `${id}-warning`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': parts.length > 0 ? parts.join(' ') : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
      {warning && (
        <p class="doubt" id={`${id}-warning`}>
          {warning}
        </p>
      )}
    </div>
  );
}

type Text = FieldProps & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'number' | 'datetime-local' | 'date' | 'time';
  readonly name?: string;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly inputMode?: 'numeric';
  readonly step?: string;
};

/** A line of text. */
export function TextField({ label, hint, error, warning, onChange, type = 'text', ...input }: Text) {
  // Preact's type definitions tie each literal `type` to certain roles, so a cast is necessary.
  const own = { ...input, type, spellcheck: false } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Around {...{ label, hint, error, warning }}>
      {(described) => <input {...own} {...described} onInput={(event) => onChange(event.currentTarget.value)} />}
    </Around>
  );
}

/** Several lines of text. */
export function AreaField(
  props: FieldProps & { value: string; onChange: (value: string) => void; rows?: number; class?: string },
) {
  const { label, hint, error, warning, value, onChange, rows = 4, class: name } = props;
  return (
    <Around {...{ label, hint, error, warning }}>
      {(described) => (
        <textarea
          class={name}
          rows={rows}
          spellcheck={false}
          value={value}
          {...described}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Around>
  );
}

/** One of several values. */
export function SelectField<Name extends string>(
  props: FieldProps & {
    value: Name;
    options: readonly (readonly [value: Name, label: string])[];
    onChange: (value: Name) => void;
  },
) {
  const { label, hint, error, warning, value, options, onChange } = props;
  return (
    <Around {...{ label, hint, error, warning }}>
      {(described) => (
        <select value={value} {...described} onChange={(event) => onChange(event.currentTarget.value as Name)}>
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Around>
  );
}

/** A colour, as a swatch to choose from and as text, because the API also takes `rgb(…)`. */
export function ColourField({ label, hint, error, warning, value, onChange }: Text) {
  const isHex = /^#[0-9a-f]{6}$/i.test(value);
  return (
    <Around {...{ label, hint, error, warning }}>
      {(described) => (
        <span class="colour">
          <input
            type="color"
            aria-label={`${label}: choose`}
            value={isHex ? value : '#000000'}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <input
            type="text"
            spellcheck={false}
            value={value}
            {...described}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </span>
      )}
    </Around>
  );
}

/** A checkbox with its label. */
export function CheckField(props: { label: string; hint?: string; checked: boolean; onChange: (on: boolean) => void }) {
  const { label, hint, checked, onChange } = props;
  const id = useId();
  return (
    <div class="check">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
