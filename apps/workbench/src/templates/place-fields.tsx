import { type Finding, findingsAt } from '../model/findings.js';
import { type Body, itemsOf, textOf, withProperty } from '../model/template.js';
import { TextField } from '../ui/field.js';

interface PlaceProps {
  readonly place: Body | null;
  readonly path: string;
  readonly findings: readonly Finding[];
  /** Null removes the place. */
  readonly onChange: (place: Body | null) => void;
}

const emptyPlace: Body = { address: '', latitude: 0, longitude: 0 };

/** A place with its coordinates. */
export function PlaceFields({ place, path, findings, onChange }: PlaceProps) {
  if (!place) {
    return (
      <button type="button" onClick={() => onChange(emptyPlace)}>
        Add a place
      </button>
    );
  }
  const said = (name: string) => findingsAt(findings, `${path}.${name}`);
  const text = (name: string) => ({
    value: textOf(place, name),
    onChange: (value: string) => onChange(withProperty(place, name, value)),
    ...said(name),
  });
  const degrees = (name: string) => ({
    type: 'number' as const,
    step: 'any',
    value: typeof place[name] === 'number' ? String(place[name]) : '',
    onChange: (value: string) => onChange({ ...place, [name]: value === '' ? null : Number(value) }),
    ...said(name),
  });
  return (
    <div class="row" role="group" aria-label="Place">
      <TextField label="Name" {...text('name')} />
      <TextField label="Address" {...text('address')} onChange={(value) => onChange({ ...place, address: value })} />
      <TextField label="Latitude" {...degrees('latitude')} />
      <TextField label="Longitude" {...degrees('longitude')} />
      <TextField label="Text on the lock screen" {...text('relevantText')} />
      <p class="row-actions">
        <button type="button" onClick={() => onChange(null)}>
          Remove the place
        </button>
      </p>
    </div>
  );
}

/** The places where the passes appear on the lock screen. */
export function PlaceList(props: { draft: Body; findings: readonly Finding[]; onChange: (draft: Body) => void }) {
  const { draft, findings, onChange } = props;
  const places = itemsOf(draft, 'locations');
  const save = (next: readonly Body[]) =>
    onChange(withProperty(draft, 'locations', next.length > 0 ? next : undefined));
  return (
    <fieldset>
      <legend>Places where passes appear</legend>
      {places.map((place, at) => (
        <PlaceFields
          key={at}
          place={place}
          path={`locations[${at}]`}
          findings={findings}
          onChange={(next) => save(places.flatMap((each, index) => (index !== at ? [each] : next ? [next] : [])))}
        />
      ))}
      {places.length < 10 && (
        <PlaceFields
          place={null}
          path="locations"
          findings={findings}
          onChange={(place) => save([...places, ...(place ? [place] : [])])}
        />
      )}
    </fieldset>
  );
}
