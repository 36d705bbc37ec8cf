import { fromInput, toInput } from '../model/dates.js';
import { type Finding, findingsAt } from '../model/findings.js';
import { type Body, textOf, withProperty } from '../model/template.js';
import { CheckField, TextField } from '../ui/field.js';

interface TimesProps {
  readonly draft: Body;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Body) => void;
}

/**
 * The times at which an event starts and ends, and at which its doors open. An event can also start on a day without a
 * time.
 */
export function EventTimes({ draft, findings, onChange }: TimesProps) {
  const startDate = textOf(draft, 'startDate');
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(startDate);
  const set = (name: string, value: string | null) => onChange(withProperty(draft, name, value ?? undefined));
  const time = (name: string) => ({
    type: 'datetime-local' as const,
    value: toInput(draft[name]),
    onChange: (value: string) => set(name, fromInput(value)),
    ...findingsAt(findings, name),
  });
  return (
    <>
      <CheckField
        label="The event has no time of day"
        checked={isDay}
        onChange={(on) => set('startDate', on ? toInput(startDate).slice(0, 10) : fromInput(`${startDate}T18:00`))}
      />
      <div class="columns">
        {isDay ? (
          <TextField
            label="Start"
            type="date"
            value={startDate}
            onChange={(value) => set('startDate', value)}
            {...findingsAt(findings, 'startDate')}
          />
        ) : (
          <TextField label="Start" {...time('startDate')} />
        )}
        <TextField label="Doors open" {...time('doorsOpen')} />
        <TextField label="End" {...time('endDate')} />
      </div>
    </>
  );
}
