import { etagOf, type MembershipSettingsResponse, type Passwright, PasswrightError } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { remindersInWords, remindersOf } from '../model/reminders.js';
import { zoneOptions } from '../model/time-zones.js';
import { announce } from '../ui/announcer.js';
import { problemsIn } from '../ui/errors.js';
import { SelectField, TextField } from '../ui/field.js';
import { Failure, Form, Loading, OtherProblems } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { useTask } from '../ui/use-task.js';

interface SettingsProps {
  readonly api: Passwright;
  readonly onDone: () => void;
}

/** The settings of all memberships: the template of new passes, and the reminders. */
export function MembershipSettings({ api, onDone }: SettingsProps) {
  const { session } = useWho();
  const { data, error, reload } = useLoad('membership settings', async (signal) => {
    const [settings, templates] = await Promise.all([
      settingsOf(api, signal),
      session.api.listTemplates({ limit: 100, signal }),
    ]);
    const usable = templates.data.filter(({ type }) => type === 'membership' || type === 'generic');
    return { settings, templates: usable.map(({ id, title }) => [id, `${title} (${id})`] as const) };
  });
  if (!data) return error === null ? <Loading rows={5} /> : <Failure error={error} onRetry={reload} />;
  return <SettingsForm {...{ api, onDone }} {...data} />;
}

/** Returns the settings; null if the account has none yet. */
async function settingsOf(api: Passwright, signal: AbortSignal): Promise<MembershipSettingsResponse | null> {
  try {
    return await api.getMembershipSettings({ signal });
  } catch (error) {
    if (error instanceof PasswrightError && error.statusCode === 404) return null;
    throw error;
  }
}

interface FormProps extends SettingsProps {
  readonly settings: MembershipSettingsResponse | null;
  readonly templates: readonly (readonly [id: string, label: string])[];
}

function SettingsForm({ api, settings, templates, onDone }: FormProps) {
  const [templateId, setTemplate] = useState(settings?.templateId ?? templates[0]?.[0] ?? '');
  const [days, setDays] = useState(remindersInWords(settings?.reminders ?? []));
  const [timeZone, setZone] = useState(settings?.timeZone ?? 'UTC');
  const [label, setLabel] = useState(settings ? (settings.noticeLabel ?? '') : 'Membership');
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['templateId', 'reminders', 'timeZone', 'noticeLabel']);
  const reminders = remindersOf(days, settings?.reminders ?? []);
  const save = async () => {
    const body = { templateId, reminders: reminders ?? [], timeZone, noticeLabel: label || null };
    await api.putMembershipSettings({ body, ifMatch: settings ? etagOf(settings) : undefined });
    announce('Saved.');
    onDone();
  };
  const isListed = templates.some(([id]) => id === templateId);
  const options = isListed ? templates : [[templateId, templateId || 'None yet'] as const, ...templates];
  return (
    <Form class="panel stack" aria-label="Membership settings" onSubmit={() => reminders && task.run(save)}>
      <div class="columns">
        <SelectField
          label="Template of new passes"
          hint="A template of type membership or generic. Existing members keep their template."
          {...{ value: templateId, options, onChange: setTemplate, error: at.get('templateId') ?? null }}
        />
        <TextField
          label="Reminders"
          placeholder="30, 7"
          hint="Days before the end, up to ten. Members get a mail, and a notification on the pass."
          value={days}
          onChange={setDays}
          error={reminders ? at.get('reminders') : 'Enter numbers of days, separated by commas.'}
        />
        <SelectField
          label="Time zone of reminders"
          {...{ value: timeZone, options: zoneOptions(timeZone), onChange: setZone, error: at.get('timeZone') ?? null }}
        />
        <TextField
          label="Label on the pass"
          hint="The label of a field with the end of the membership. Empty: no such field."
          {...{ value: label, onChange: setLabel, error: at.get('noticeLabel') ?? null }}
        />
      </div>
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Save the settings
        </button>
      </div>
    </Form>
  );
}
