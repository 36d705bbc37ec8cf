import { type Finding, findingsAt } from '../model/findings.js';
import { type Body, itemsOf, newKey, textOf, withProperty } from '../model/template.js';
import { TextField } from '../ui/field.js';

interface ListProps {
  readonly title: string;
  readonly name: 'fields' | 'backFields';
  readonly most: number;
  readonly draft: Body;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

/** The labelled values on one side of the pass. */
export function FieldList({ title, name, most, draft, findings, onChange }: ListProps) {
  const items = itemsOf(draft, name);
  const all = [...itemsOf(draft, 'fields'), ...itemsOf(draft, 'backFields')];
  const save = (next: readonly Body[]) => onChange(withProperty(draft, name, next.length > 0 ? next : undefined));
  const replace = (at: number, item: Body) => save(items.map((each, place) => (place === at ? item : each)));
  const move = (at: number, to: number) => save(moved(items, at, to));
  return (
    <fieldset>
      <legend>{title}</legend>
      {items.length === 0 && <p class="muted">None yet.</p>}
      {items.map((item, at) => (
        <FieldRow
          key={at}
          item={item}
          path={`${name}[${at}]`}
          findings={findings}
          isFront={name === 'fields'}
          onChange={(next) => replace(at, next)}
          onRemove={() => save(items.filter((_, place) => place !== at))}
          onUp={at > 0 ? () => move(at, at - 1) : null}
        />
      ))}
      {items.length < most && (
        <button type="button" onClick={() => save([...items, { key: newKey(all), label: 'Label', value: 'Value' }])}>
          Add a field
        </button>
      )}
    </fieldset>
  );
}

function moved(items: readonly Body[], from: number, to: number): Body[] {
  const rest = items.filter((_, at) => at !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

interface RowProps {
  readonly item: Body;
  readonly path: string;
  readonly findings: readonly Finding[];
  readonly isFront: boolean;
  readonly onChange: (item: Body) => void;
  readonly onRemove: () => void;
  readonly onUp: (() => void) | null;
}

function FieldRow({ item, path, findings, isFront, onChange, onRemove, onUp }: RowProps) {
  const name = textOf(item, 'label') || textOf(item, 'key');
  const own = findingsAt(findings, path);
  const text = (property: string) => ({
    value: textOf(item, property),
    // A label or value may be empty, but must be there.
    onChange: (value: string) => onChange({ ...item, [property]: value }),
    ...findingsAt(findings, `${path}.${property}`),
  });
  return (
    <div class="row" role="group" aria-label={`Field ${name}`}>
      <TextField label="Key" {...text('key')} />
      <TextField label="Label" {...text('label')} />
      <TextField label="Value" {...text('value')} error={text('value').error ?? ownOnly(own.error, findings, path)} />
      {isFront && (
        <TextField
          label="Change message"
          hint="%@ is the new value"
          placeholder={`${name}: %@`}
          {...text('changeMessage')}
          onChange={(value) => onChange(withProperty(item, 'changeMessage', value))}
        />
      )}
      <p class="row-actions">
        {onUp && (
          <button type="button" aria-label={`Move ${name} up`} onClick={onUp}>
            ↑
          </button>
        )}
        <button type="button" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </p>
    </div>
  );
}

/** Returns the error if it concerns the item as a whole, not one of its inputs; otherwise null. */
function ownOnly(error: string | null, findings: readonly Finding[], path: string): string | null {
  return findings.some((finding) => finding.path === `$.${path}`) ? error : null;
}
