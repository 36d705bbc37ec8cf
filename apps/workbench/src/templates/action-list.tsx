import { type Finding, findingsAt } from '../model/findings.js';
import { type Body, itemsOf, textOf, withProperty } from '../model/template.js';
import { SelectField, TextField } from '../ui/field.js';

const MOST_ACTIONS = 2;
const types = [
  ['shop', 'Shop online'],
  ['order', 'Order'],
  ['call', 'Call'],
  ['viewSchedule', 'View schedule'],
  ['watchTrailer', 'Watch trailer'],
  ['listenToMusic', 'Listen to music'],
  ['addToBalance', 'Add to balance'],
  ['membershipBenefits', 'Membership benefits'],
  ['viewOffersRewards', 'Offers and rewards'],
  ['bookAppointment', 'Book an appointment'],
  ['bookCar', 'Book a car'],
  ['bookFlight', 'Book a flight'],
  ['bookStay', 'Book a stay'],
] as const;
type ActionType = (typeof types)[number][0];

interface ActionsProps {
  readonly draft: Body;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

/** The buttons beside the pass. */
export function ActionList({ draft, findings, onChange }: ActionsProps) {
  const actions = itemsOf(draft, 'actions');
  const save = (next: readonly Body[]) => onChange(withProperty(draft, 'actions', next.length > 0 ? next : undefined));
  const replace = (at: number, action: Body) => save(actions.map((each, place) => (place === at ? action : each)));
  return (
    <fieldset>
      <legend>Buttons</legend>
      {actions.length === 0 && <p class="muted">None yet. Apple Wallet shows them from iOS 27 on.</p>}
      {actions.map((action, at) => (
        <div class="row" role="group" aria-label={`Button ${at + 1}`} key={at}>
          <SelectField
            label="What it does"
            value={textOf(action, 'type') as ActionType}
            options={types}
            onChange={(type) => replace(at, { ...action, type })}
            {...findingsAt(findings, `actions[${at}].type`)}
          />
          <TextField
            label="Address"
            placeholder={action.type === 'call' ? 'tel:+47…' : 'https://…'}
            value={textOf(action, 'url')}
            onChange={(url) => replace(at, { ...action, url })}
            {...findingsAt(findings, `actions[${at}].url`)}
          />
          <p class="row-actions">
            <button
              type="button"
              aria-label={`Remove button ${at + 1}`}
              onClick={() => save(actions.filter((_, place) => place !== at))}
            >
              Remove
            </button>
          </p>
        </div>
      ))}
      {actions.length < MOST_ACTIONS && (
        <button type="button" onClick={() => save([...actions, { type: 'shop', url: 'https://' }])}>
          Add a button
        </button>
      )}
    </fieldset>
  );
}
