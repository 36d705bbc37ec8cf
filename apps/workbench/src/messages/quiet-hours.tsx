import type { MessageSettingsResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { zoneOptions } from '../model/time-zones.js';
import { announce } from '../ui/announcer.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, SelectField, TextField } from '../ui/field.js';
import { Failure, Form, Loading, OtherProblems } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { useTask } from '../ui/use-task.js';

/** The hours in which no message is sent. */
export function QuietHours({ onDone }: { onDone: () => void }) {
  const { session } = useWho();
  const { data, error, reload } = useLoad('quiet hours', (signal) => session.api.getMessageSettings({ signal }));
  if (!data) return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />;
  return <SettingsForm settings={data} onDone={onDone} />;
}

const usual = { from: '22:00', until: '08:00' };

function SettingsForm({ settings, onDone }: { settings: MessageSettingsResponse; onDone: () => void }) {
  const { session } = useWho();
  const [timeZone, setZone] = useState(settings.timeZone);
  const [hours, setHours] = useState(settings.quietHours);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['timeZone', 'quietHours']);
  const save = async () => {
    await session.api.putMessageSettings({ body: { timeZone, ...(hours && { quietHours: hours }) } });
    announce('Saved.');
    onDone();
  };
  return (
    <Form class="panel stack" aria-label="Quiet hours" onSubmit={() => task.run(save)}>
      <CheckField
        label="Send no messages at night"
        hint="Messages wait for the end of these hours, unless they are urgent."
        checked={hours !== null}
        onChange={(on) => setHours(on ? usual : null)}
      />
      {hours && (
        <div class="columns">
          {(['from', 'until'] as const).map((name) => (
            <TextField
              key={name}
              label={name === 'from' ? 'From' : 'Until'}
              type="time"
              value={hours[name]}
              onChange={(value) => setHours({ ...hours, [name]: value })}
            />
          ))}
          <SelectField
            label="Time zone"
            value={timeZone}
            options={zoneOptions(timeZone)}
            error={at.get('timeZone')}
            onChange={setZone}
          />
        </div>
      )}
      {at.has('quietHours') && <p class="wrong">{at.get('quietHours')}</p>}
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          {task.isRunning ? 'Saving …' : 'Save the quiet hours'}
        </button>
        <button type="button" onClick={onDone}>
          Close
        </button>
      </div>
    </Form>
  );
}
