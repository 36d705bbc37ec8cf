import { useState } from 'preact/hooks';
import { AdminsOnly } from '../account/admins-only.js';
import { useWho } from '../api/current-user.js';
import { type AuditFilter, byDay } from '../model/audit.js';
import { List } from '../ui/list.js';
import { Empty, Heading } from '../ui/parts.js';
import { AuditEntry } from './audit-entry.js';
import { AuditFilterFields } from './audit-filter-fields.js';

const everything: AuditFilter = { actor: '', action: '', target: '', since: '', until: '' };

/** The audit trail of the account, newest first. @param target a kind, or one target such as `template:summer` */
export function AuditScreen({ target }: { target: string | null }) {
  const { session, mayManage } = useWho();
  const [filter, setFilter] = useState<AuditFilter>({ ...everything, target: target ?? '' });
  const [version, setVersion] = useState(0);
  const given = Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== ''));
  const isFiltered = Object.keys(given).length > 0;
  return (
    <>
      <Heading title="Audit trail" note="Who did what in the account, when and from where.">
        {mayManage && (
          <button type="button" onClick={() => setVersion(version + 1)}>
            Refresh
          </button>
        )}
      </Heading>
      {!mayManage && (
        <AdminsOnly>Only admins of the account see the audit trail, because it shows IP addresses.</AdminsOnly>
      )}
      {mayManage && (
        <>
          <AuditFilterFields filter={filter} onChange={setFilter} />
          {isFiltered && (
            <p>
              <button type="button" class="link" onClick={() => setFilter(everything)}>
                Remove all filters
              </button>
            </p>
          )}
          <List
            id={JSON.stringify(['audit', given])}
            version={version}
            read={(cursor, signal) => session.api.listAccountEvents({ ...given, limit: 50, cursor, signal })}
            empty={
              <Empty title="No events here">
                {isFiltered ? 'No event matches the filters.' : 'Nothing has happened yet.'}
              </Empty>
            }
          >
            {(events) =>
              byDay(events).map(([day, ofDay]) => (
                <section key={day} class="audit-day" aria-label={day}>
                  <h2>{day}</h2>
                  <ul class="event-list">
                    {ofDay.map((event) => (
                      <AuditEntry
                        key={event.id}
                        event={event}
                        onFilter={(change) => {
                          setFilter({ ...filter, ...change });
                          scrollTo(0, 0);
                        }}
                      />
                    ))}
                  </ul>
                </section>
              ))
            }
          </List>
        </>
      )}
    </>
  );
}
