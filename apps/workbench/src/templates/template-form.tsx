import { type Finding, findingsAt } from '../model/findings.js';
import { type Body, isObject, textOf, type TemplateType, types, withProperty, withType } from '../model/template.js';
import { useWho } from '../api/current-user.js';
import { CheckField, ColourField, SelectField, TextField } from '../ui/field.js';
import { ActionList } from './action-list.js';
import { EventTimes } from './event-times.js';
import { FieldList } from './field-list.js';
import { ImageField, type Purpose } from './image-field.js';
import { PlaceFields, PlaceList } from './place-fields.js';
import { TranslationFields } from './translation-fields.js';

interface FormProps {
  readonly draft: Body;
  readonly templateId: string;
  /** Null if the id cannot change any more. */
  readonly onId: ((id: string) => void) | null;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

const codeFormats = [
  ['qr', 'QR'],
  ['pdf417', 'PDF417'],
  ['aztec', 'Aztec'],
  ['code128', 'Code 128'],
  ['code39', 'Code 39'],
  ['codabar', 'Codabar'],
  ['ean13', 'EAN-13'],
  ['itf', 'ITF'],
] as const;

const images: readonly (readonly [Purpose, string, string])[] = [
  ['icon', 'Icon', 'Square'],
  ['logo', 'Logo', 'With text, wide'],
  ['banner', 'Banner', 'Wide'],
  ['background', 'Background', 'Optional; web only'],
];

const thumbnail = ['thumbnail', 'Thumbnail', 'Beside the value'] as const;
const artwork = ['artwork', 'Artwork', 'Optional; portrait, makes the pass a poster on iOS 27'] as const;

/** The properties of a template, each with what the lint says about it. */
export function TemplateForm({ draft, templateId, onId, findings, onChange }: FormProps) {
  const type = textOf(draft, 'type') as TemplateType;
  const { set, text } = inputsOf({ draft, findings, onChange });
  const purposes = [...images, ...(type === 'generic' ? [thumbnail] : []), ...(type === 'event' ? [] : [artwork])];
  return (
    <div class="stack">
      <Basics {...{ draft, templateId, onId, findings, onChange }} />
      <fieldset>
        <legend>Colours</legend>
        <div class="columns">
          <ColourField label="Background colour" {...text('backgroundColor')} />
          <ColourField label="Text colour" {...text('foregroundColor')} />
          <ColourField label="Label colour" {...text('labelColor')} />
        </div>
      </fieldset>
      <fieldset>
        <legend>Images</legend>
        <div class="columns">
          {purposes.map(([purpose, label, hint]) => (
            <ImageField key={purpose} {...{ purpose, label, hint, templateId }} {...text(purpose)} />
          ))}
        </div>
      </fieldset>
      <FieldList title="Front fields" name="fields" most={4} {...{ draft, findings, onChange }} />
      <FieldList title="Back fields" name="backFields" most={50} {...{ draft, findings, onChange }} />
      {type === 'event' && (
        <fieldset>
          <legend>Place of the event</legend>
          <PlaceFields
            place={isObject(draft.location) ? draft.location : null}
            path="location"
            {...{ findings }}
            onChange={(place) => set('location', place ?? undefined)}
          />
        </fieldset>
      )}
      <PlaceList {...{ draft, findings, onChange }} />
      <ActionList {...{ draft, findings, onChange }} />
      <TranslationFields {...{ draft, templateId, findings, onChange }} />
    </div>
  );
}

function Basics({ draft, templateId, onId, findings, onChange }: FormProps) {
  const type = textOf(draft, 'type') as TemplateType;
  const { set, said, text } = inputsOf({ draft, findings, onChange });
  return (
    <fieldset>
      <legend>Basics</legend>
      <TypeField draft={draft} onChange={onChange} />
      {onId && (
        <TextField
          label="Template id"
          hint="Names the template in the API. It cannot change."
          value={templateId}
          onChange={onId}
        />
      )}
      <TextField label="Title" {...text('title')} />
      <TextField label="Issuer" {...text('issuerName')} />
      {(type === 'generic' || type === 'membership') && (
        <TextField label="Label of the primary value" hint="Such as Member or Balance" {...text('primaryLabel')} />
      )}
      {type === 'event' && <EventTimes {...{ draft, findings, onChange }} />}
      <SelectField
        label="Code"
        value={(textOf(draft, 'codeFormat') || 'qr') as (typeof codeFormats)[number][0]}
        options={codeFormats}
        onChange={(value) => set('codeFormat', value === 'qr' ? undefined : value)}
        {...said('codeFormat')}
      />
      <CheckField
        label="Remove the share button from passes"
        checked={draft.sharingProhibited === true}
        onChange={(on) => set('sharingProhibited', on || undefined)}
      />
    </fieldset>
  );
}

/** Returns the functions that read and change the properties of a draft for the inputs of the form. */
function inputsOf({ draft, findings, onChange }: Pick<FormProps, 'draft' | 'findings' | 'onChange'>) {
  const set = (name: string, value: unknown) => onChange(withProperty(draft, name, value));
  const said = (path: string) => findingsAt(findings, path);
  const text = (name: string) => ({
    value: textOf(draft, name),
    onChange: (value: string) => set(name, value),
    ...said(name),
  });
  return { set, said, text };
}

function TypeField({ draft, onChange }: { draft: Body; onChange: (draft: Body) => void }) {
  const { session } = useWho();
  const type = (textOf(draft, 'type') || 'offer') as TemplateType;
  const change = (next: TemplateType) => onChange(withType(draft, next, session.baseUrl));
  return <SelectField label="Type" value={type} options={types} onChange={change} />;
}
