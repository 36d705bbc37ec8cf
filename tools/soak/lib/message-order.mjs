// Checks the order in which passes got messages, and the order in which passes show them.

/**
 * Reads which messages passes got and which they show. All times are milliseconds since 1970.
 * @param sql runs one statement and returns its result as text
 */
export function readOrder(sql) {
  const ms = (column) => `round(extract(epoch FROM ${column}) * 1000)`;
  const times = `${ms('m.send_at')}, ${ms('m.created_at')}`;
  const got = sql(`SELECT r.template_id || '/' || r.pass_id, m.id, coalesce(m.topic, ''), ${ms('r.sent_at')}, ${times}
    FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id`);
  const shown = sql(`SELECT p.template_id || '/' || p.id, shown.message ->> 'id'
    FROM pass p, jsonb_array_elements(p.messages) WITH ORDINALITY AS shown(message, place) ORDER BY 1, shown.place`);
  const rowsOf = (text) => text.split('\n').filter(Boolean);
  const received = rowsOf(got).map((row) => {
    const [pass, id, topic, sentAt, sendAt, createdAt] = row.split('|');
    return { pass, id, topic, sentAt: Number(sentAt), sendAt: Number(sendAt), createdAt: Number(createdAt) };
  });
  return {
    received,
    shown: grouped(
      rowsOf(shown).map((row) => row.split('|')),
      ([pass]) => pass,
    ),
  };
}

/**
 * Checks that no message reaches a pass before an earlier message. A paused message may be late, unless a later message
 * has the same topic.
 * @param received the messages that passes got: their pass, id, topic and times
 * @param paused the ids of messages that were paused
 * @returns the number of compared pairs
 */
export function checkArrivals(stage, received, paused) {
  let pairs = 0;
  const overtaken = [];
  for (const ofPass of grouped(received, ({ pass }) => pass).values()) {
    const inOrder = ofPass.toSorted((a, b) => (isLater(a, b) ? 1 : -1));
    for (const [at, later] of inOrder.entries()) {
      for (const earlier of inOrder.slice(0, at)) {
        pairs += 1;
        const isReplaced = earlier.topic !== '' && earlier.topic === later.topic;
        if (earlier.sentAt > later.sentAt && (isReplaced || !paused.has(earlier.id)))
          overtaken.push(`${later.id} before ${earlier.id} on ${later.pass}`);
      }
    }
  }
  stage.check(overtaken.length === 0, `${overtaken.length} messages arrived too early: ${overtaken.slice(0, 3)}`);
  return pairs;
}

/**
 * Checks that each pass shows its messages with the newest first, and only the last message of each topic.
 * @param shown the ids of the messages that each pass shows, in their order, by pass
 * @param paused the ids of messages that were paused
 */
export function checkShown(stage, { received, shown }, paused) {
  const byPass = grouped(received, ({ pass }) => pass);
  const wrong = [...shown].flatMap(([pass, entries]) => {
    const ofPass = new Map((byPass.get(pass) ?? []).map((message) => [message.id, message]));
    const messages = entries.map(([, id]) => ofPass.get(id));
    if (messages.includes(undefined)) return [`${pass} shows a message that it did not get`];
    const upsideDown = messages.find((message, at) => {
      const above = messages[at - 1];
      return above && isLater(message, above) && !paused.has(above.id);
    });
    if (upsideDown) return [`${upsideDown.id} is below an earlier message on ${pass}`];
    const replaced = messages.find(({ id, topic, ...times }) => {
      const same = [...ofPass.values()].filter((other) => topic !== '' && other.topic === topic && other.id !== id);
      return same.some((other) => isLater(other, times));
    });
    return replaced ? [`${replaced.id} is on ${pass}, which got a later message with its topic`] : [];
  });
  stage.check(wrong.length === 0, `${wrong.length} passes show messages in a wrong order: ${wrong.slice(0, 3)}`);
}

/**
 * Checks that Google gets the messages of each topic in their order.
 * @param added the messages in the order in which Google got them
 */
export function checkTopicsAtGoogle(stage, added, received) {
  const byId = new Map(received.map((message) => [message.id, message]));
  const known = added.flatMap(({ resourceId, id, at }) => {
    const message = byId.get(id);
    return message && message.topic !== '' ? [{ ...message, at, object: `${resourceId} ${message.topic}` }] : [];
  });
  const late = [...grouped(known, ({ object }) => object).entries()].flatMap(([object, ofTopic]) => {
    return ofTopic.flatMap((message, at) => {
      const before = ofTopic[at - 1];
      return before && isLater(before, message) ? [`${told(message)} after ${told(before)} on ${object}`] : [];
    });
  });
  stage.check(late.length === 0, `Google got ${late.length} messages after a later one: ${late}`);
}

/**
 * Describes a message: its id, and the times at which it was due, was created, reached the pass, and reached Google.
 */
function told({ id, sendAt, createdAt, sentAt, at }) {
  return `${id} (${[sendAt, createdAt, sentAt, at?.getTime()].join(' ')})`;
}

function grouped(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Returns true if message `a` belongs after message `b`. */
function isLater(a, b) {
  return a.sendAt === b.sendAt ? a.createdAt > b.createdAt : a.sendAt > b.sendAt;
}
