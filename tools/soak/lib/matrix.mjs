// One run of the matrix: sends an actor's requests, and compares the account before and afterwards.
import { needOf } from './access-rules.mjs';
import { filled } from './api-document.mjs';
import { bodies, last, ownThings, preparations, publicLinks, queries, unavailable } from './matrix-cases.mjs';
import { SECRET } from './matrix-world.mjs';
import { within } from './stage.mjs';
import { jsonRequest, Wire } from './wire.mjs';

export const bearer = (token) => ({ Authorization: `Bearer ${token}` });
export const phone = (token) => ({ Authorization: `ApplePass ${token}` });

export class Matrix {
  #wire = new Wire(8);

  constructor(stage, world, document) {
    this.stage = stage;
    this.world = world;
    this.document = document;
  }

  close() {
    this.#wire.close();
  }

  /**
   * @param {any} operation of the API document
   * @param {Record<string, string>} headers
   * @param {{ isRightful?: boolean, code?: string, [id: string]: unknown }} [options] ids of resources by the name of
   * their path parameter
   */
  async request(operation, headers, { isRightful = false, code, ...ids } = {}) {
    const { world } = this;
    const made = bodies[operation.id];
    const type = Object.keys(operation.bodies)[0];
    const { body, type: madeType = 'application/json' } = made
      ? await made(world, isRightful, code)
      : { body: type && this.document.exampleOf(operation.bodies[type].schema) };
    const known = { ...world.ids, ...(code && { code }), ...ids };
    const query = queries[operation.id]?.(world) ?? (code && !operation.path.includes('{code}') ? `?code=${code}` : '');
    const content = Buffer.isBuffer(body)
      ? { body, headers: { 'Content-Type': madeType, 'Content-Length': String(body.length) } }
      : jsonRequest(body, madeType);
    const target = `${filled(operation.path, known)}${operation.method === 'GET' || queries[operation.id] ? query : ''}`;
    const request = { method: operation.method, target, body: content.body };
    return this.#wire.send(world.node.url, { ...request, headers: { ...content.headers, ...headers } });
  }

  /**
   * Sends a public request, and waits until no job remains. Afterwards, rows change only through the tested requests.
   */
  async settle(engine) {
    for (const operation of this.document.operations) {
      if (operation.method === 'GET' && !operation.isSecured) await this.request(operation, {});
    }
    const due = `SELECT count(*) FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts`;
    await within(60, () => engine.sql(due) === '0');
  }

  async tryActor(name, actor, engine) {
    const { stage, world, document } = this;
    const before = digest(engine, world.owner.accountId);
    let [count, statuses] = [0, {}];
    const rank = ({ id }) => Number(ownThings.includes(id));
    const headersOfActor = { 'X-Forwarded-For': `198.51.100.${(this.actors = (this.actors ?? 0) + 1)}` };
    for (const operation of document.operations.toSorted((one, next) => rank(one) - rank(next))) {
      const attempt = actor(operation);
      if (!attempt) continue;
      const response = await this.request(operation, { ...attempt.headers, ...headersOfActor });
      const { status, text } = response;
      count += 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const what = `${name}, ${operation.name}`;
      stage.check(status !== 0, `${what}: no response (${text})`);
      const isRight = attempt.statuses ? attempt.statuses.includes(status) : operation.responses[status] !== undefined;
      stage.check(
        isRight,
        `${what}: ${status} instead of ${attempt.statuses ?? 'a documented status'} ${text.slice(0, 150)}`,
      );
      const problem = status >= 400 && status !== 0 ? document.problem(operation, response) : null;
      stage.check(problem === null, `${what}: ${problem}`);
      const mayShow = publicLinks.includes(operation.id) || !text.includes(SECRET) || status >= 400;
      const isOwn = name.startsWith('another') && text.includes(`${SECRET} other`) && !operation.path.includes('{');
      stage.check(mayShow || isOwn || !showsVictim(text), `${what}: ${status} shows what is not the caller's`);
    }
    // Delete the resource that the stranger has created under the same name.
    await world.other.try(() => world.other.call('DELETE', '/v1/templates/card'));
    const changed = [...digest(engine, world.owner.accountId)].filter(([table, sum]) => before.get(table) !== sum);
    stage.check(changed.length === 0, `${name} has changed rows of ${changed.map(([table]) => table).join(', ')}`);
    console.log(`${name.padEnd(36)} ${String(count).padStart(4)} requests ${JSON.stringify(statuses)}`);
  }

  /**
   * Calls each operation as a permitted caller, which proves that the ids are valid. Operations that end something run
   * last.
   */
  async tryRightful() {
    const { stage, world, document } = this;
    const rank = ({ id, method }) => (last.indexOf(id) + 1) * 10 + (method === 'GET' ? 0 : method === 'DELETE' ? 2 : 1);
    const operations = document.operations.toSorted((one, other) => rank(one) - rank(other));
    const statuses = {};
    for (const operation of operations) {
      await world.renewOwner();
      if (/^(refreshTokens|logout)$/.test(operation.id)) world.spare = await world.login(world.owner);
      const prepared = (await preparations[operation.id]?.(world)) ?? {};
      const extra = typeof prepared === 'object' ? prepared : {};
      const needsKey = operation.isSecured && !operation.isForPhones && needOf(operation).caller === 'key';
      const isPublic = !operation.isSecured;
      const headers = operation.isForPhones
        ? phone(world.phone.token)
        : isPublic
          ? {}
          : bearer(needsKey ? world.owner.key.key : world.owner.token);
      const response = await this.request(operation, headers, { isRightful: true, ...extra });
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const expected = unavailable[operation.id];
      const isRight = expected ? response.status === expected : response.status >= 200 && response.status < 400;
      const lacks = `the rightful caller of ${operation.name} (${operation.id}) gets ${response.status}`;
      stage.check(isRight, `${lacks}; say in lib/matrix-cases.mjs how to call it: ${response.text.slice(0, 200)}`);
    }
    console.log(
      `${'the rightful caller'.padEnd(36)} ${String(operations.length).padStart(4)} requests ${JSON.stringify(statuses)}`,
    );
  }
}

/** Returns true if a text contains the victim's secret. The stranger's own secret begins with the same letters. */
function showsVictim(text) {
  return text.replaceAll(new RegExp(`${SECRET}[- ]other`, 'g'), '').includes(SECRET);
}

/** Returns a checksum of an account's rows in each table. Leaves out columns that change when a credential is used. */
function digest(engine, accountId) {
  const tables = engine
    .sql(
      `SELECT c.table_name FROM information_schema.columns c JOIN pg_class r ON r.oid = c.table_name::regclass
       WHERE c.table_schema = 'public' AND c.column_name = 'account_id' AND r.relkind IN ('r', 'p') AND NOT r.relispartition`,
    )
    .split('\n');
  const where = tables.map((table) => [table, `account_id = '${accountId}'`]);
  const users = `uid IN (SELECT uid FROM account_member WHERE account_id = '${accountId}')`;
  const all = [
    ...where,
    ['account', `id = '${accountId}'`],
    ['app_user', users],
    ['user_code', users],
    ['user_identity', users],
  ];
  const row = `md5((to_jsonb(t) - 'last_used_at' - 'seen_at')::text)`;
  const parts = all.map(
    ([table, filter]) =>
      `SELECT '${table}', count(*), md5(coalesce(string_agg(${row}, '' ORDER BY ${row}), '')) FROM ${table} t WHERE ${filter}`,
  );
  const lines = engine.sql(parts.join(' UNION ALL ')).split('\n');
  return new Map(lines.map((line) => [line.split('|')[0], line]));
}
