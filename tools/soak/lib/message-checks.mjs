// Compares the messages that Google Wallet has got with the outcomes that the service reports.
import { LANGUAGES, QUIET } from './message-plan.mjs';

const DAY_MS = 86_400_000;
const MOST_A_DAY = 3;
/** The outcomes of messages that Google must have, and the outcomes of messages that Google must not have. */
const [ADDED, NOT_ADDED] = [
  { notified: true, daily_limit: false },
  ['expired', 'superseded', 'queue_full', 'not_at_google'],
];

/**
 * Checks what holders got: no message twice, no notification in quiet hours, and no fourth notification in 24 hours.
 */
export function checkHolders(stage, google, known) {
  const urgent = new Set(known.filter((message) => message.urgent).map(({ id }) => id));
  const added = google.addedMessages;
  const keys = added.map(({ resourceId, id }) => `${resourceId} ${id}`);
  const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
  stage.check(twice.length === 0, `${twice.length} messages were added twice: ${twice.slice(0, 3)}`);
  const notified = added.filter((message) => message.notified);
  const loud = notified.filter(({ id, at }) => !urgent.has(id) && isQuiet(at));
  const when = loud.slice(0, 3).map(({ id, at }) => `${id} at ${at.toISOString()}`);
  stage.check(loud.length === 0, `${loud.length} notifications in quiet hours: ${when}`);
  const crowded = notified.filter(({ resourceId, at }) => {
    const ofDay = notified.filter((one) => one.resourceId === resourceId && one.at <= at && at - one.at < DAY_MS);
    return ofDay.length > MOST_A_DAY;
  });
  // Google rejects a fourth notification, but the service must not even send one.
  const tried = google.requests.filter(({ reason }) => reason === 'quotaExceeded');
  const tooMany = crowded.length + tried.length;
  stage.check(tooMany === 0, `${tooMany} times a holder would have got a fourth notification in 24 hours`);
  return { added: added.length, notified: notified.length };
}

/**
 * Checks for every message and recipient that Google has the message once, or that the service reports why not.
 * @returns the number of recipients by outcome
 */
export function checkRecipients(stage, { google, sql, objects }) {
  const rows = sql('SELECT message_id, pass_id, google_outcome FROM message_recipient').split('\n').filter(Boolean);
  const counts = {};
  const found = new Map(google.addedMessages.map((one) => [`${one.resourceId} ${one.id}`, one]));
  const wrong = rows.flatMap((row) => {
    const [messageId, passId, outcome] = row.split('|');
    counts[outcome || 'no_wallet'] = (counts[outcome || 'no_wallet'] ?? 0) + 1;
    const objectId = objects.get(passId);
    const added = found.get(`${objectId} ${messageId}`);
    found.delete(`${objectId} ${messageId}`);
    const isRight =
      objectId === undefined ? outcome === '' : added ? ADDED[outcome] === added.notified : NOT_ADDED.includes(outcome);
    const atGoogle = added ? `at Google ${added.notified ? 'with' : 'without'} a notification` : 'not at Google';
    return isRight ? [] : [`${row} (${atGoogle})`];
  });
  stage.check(wrong.length === 0, `${wrong.length} outcomes differ from what Google has: ${wrong.slice(0, 3)}`);
  const strange = [...found.values()].filter(({ id }) => !id.startsWith('change-'));
  stage.check(strange.length === 0, `${strange.length} messages at Google have no recipient: ${strange[0]?.id}`);
  return counts;
}

/** Checks that the counts in the progress of each message add up and match the outcomes of its recipients. */
export async function checkMessages(stage, ledger, sql, known) {
  for (const { id, text, passes } of known) {
    const { body } = await ledger.once('GET', `/v1/messages/${id}`);
    const { status, progress } = body;
    stage.check(['sent', 'cancelled', 'superseded', 'paused'].includes(status), `${text} is ${status}`);
    const skipped = progress.skipped.reduce((sum, reason) => sum + reason.passes, 0);
    const isWhole = progress.sent + skipped === progress.passes && (status !== 'sent' || progress.passes === passes);
    stage.check(isWhole, `${text} for ${passes} passes has this progress: ${JSON.stringify(progress)}`);
    const stored = sql(`SELECT coalesce(google_outcome, ''), count(*) FROM message_recipient
      WHERE message_id = '${id}' GROUP BY 1`);
    const counts = new Map(
      stored
        .split('\n')
        .map((row) => row.split('|'))
        .map(([name, count]) => [name, Number(count)]),
    );
    const sum = [...counts.values()].reduce((one, other) => one + (other || 0), 0);
    stage.check(sum === progress.sent, `${text} was sent to ${progress.sent} passes and has ${sum} recipients`);
    const off = progress.walletBOutcomes.filter((one) => (counts.get(one.outcome) ?? 0) !== one.passes);
    stage.check(off.length === 0, `${text} counts ${JSON.stringify(off)} and has ${JSON.stringify([...counts])}`);
  }
}

/**
 * Checks that Google has each message in all its languages.
 * @returns the number of messages
 */
export function checkLanguages(stage, google, known) {
  const byId = new Map(known.map((message) => [message.id, message]));
  const sent = google.requests.flatMap(({ path, body }) => (path.endsWith('/addMessage') ? [body.message] : []));
  const own = sent.filter(({ id }) => byId.has(id));
  const wrong = own.filter((message) => {
    const { text, number } = byId.get(message.id);
    const words = { en: text, de: `Nachricht ${number}`, ja: `知らせ ${number}` };
    return ['en', ...LANGUAGES].some((language) => textIn(message.localizedBody, language) !== words[language]);
  });
  stage.check(wrong.length === 0, `${wrong.length} messages lack a language: ${JSON.stringify(wrong[0])}`);
  return own.length;
}

/** Checks that the objects at Google show the last change of each pass. */
export function checkChanges(stage, google, objects, values) {
  for (const [passId, value] of values) {
    const object = objects.has(passId) ? google.objects.get(objects.get(passId)) : null;
    const shown = object?.textModulesData?.find(({ header }) => header === 'Note')?.body;
    if (object) stage.check(shown === value, `the object of ${passId} shows ${shown} instead of ${value}`);
  }
}

function textIn({ defaultValue, translatedValues = [] } = { defaultValue: {} }, language) {
  return [...translatedValues, defaultValue].find((one) => one.language === language)?.value;
}

const localTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: QUIET.timeZone,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Returns true if a time is in the quiet hours. These include midnight. */
export function isQuiet(at) {
  const time = localTime.format(at);
  return time >= QUIET.quietHours.from || time < QUIET.quietHours.until;
}
