import { useWho } from '../api/current-user.js';
import { fromInput, toInput } from '../model/dates.js';
import { type AuditFilter, targetOptions } from '../model/audit.js';
import { SelectField, TextField } from '../ui/field.js';
import { useLoad } from '../ui/use-load.js';

interface FilterProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

/** The filters of the audit trail. */
export function AuditFilterFields({ filter, onChange }: FilterProps) {
  const { session } = useWho();
  // These two requests need rights that the list of events does not need, so the list works even if they fail.
  const people = useLoad('people', (signal) => session.api.getAccount({ signal }));
  const keys = useLoad('keys', (signal) => session.api.listApiKeys({ limit: 100, signal }));
  const known = [
    ...(people.data?.members ?? []).map(({ uid, user }) => [uid, user.name] as const),
    ...(keys.data?.data ?? []).map(({ id, name }) => [id, `Key: ${name}`] as const),
    ['system', 'The service'] as const,
  ];
  const isKnown = filter.actor === '' || known.some(([id]) => id === filter.actor);
  const actors = [['', 'Everyone'] as const, ...(isKnown ? [] : [[filter.actor, filter.actor] as const]), ...known];
  const set = (change: Partial<AuditFilter>) => onChange({ ...filter, ...change });
  return (
    <div class="filters audit-filters">
      <SelectField label="Who" value={filter.actor} options={actors} onChange={(actor) => set({ actor })} />
      <SelectField
        label="Target"
        value={filter.target}
        options={targetOptions(filter.target)}
        onChange={(target) => set({ target })}
      />
      <TextField
        label="Action"
        type="search"
        placeholder="template.changed"
        value={filter.action}
        onChange={(action) => set({ action: action.trim() })}
      />
      <TextField
        label="From"
        type="datetime-local"
        value={toInput(filter.since)}
        onChange={(value) => set({ since: fromInput(value) ?? '' })}
      />
      <TextField
        label="To"
        type="datetime-local"
        value={toInput(filter.until)}
        onChange={(value) => set({ until: fromInput(value) ?? '' })}
      />
    </div>
  );
}
