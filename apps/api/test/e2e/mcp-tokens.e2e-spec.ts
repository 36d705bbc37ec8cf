import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Agent } from '../support/mcp-agent.js';
import { passBody, RunningService, templateBody, type Account } from '../support/running-service.js';

/** The former number of tokens of `tools/list`. */
const FORMER_LIST = 40_616;
const MOST_LISTED = 9_000;

let service: RunningService;
let account: Account;
let apiKey: string;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  apiKey = await account.apiKey();
});
afterAll(() => service.stop());

type Values = Record<string, unknown>;

/** An agent that counts the tokens that its model reads: the list of tools, the calls and the results. */
class CountedAgent {
  tokens = 0;
  private constructor(private readonly agent: Agent) {}

  static async connect(path: string): Promise<CountedAgent> {
    const counted = new CountedAgent(await Agent.connect(service, apiKey, 'modern', path));
    counted.tokens = countTokens(JSON.stringify((await counted.agent.client.listTools()).tools));
    return counted;
  }

  async call(name: string, values: Values): Promise<Values> {
    const { isError, content, structuredContent } = await this.agent.call(name, values);
    const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
    expect([name, isError, texts]).toEqual([name, undefined, expect.anything()]);
    this.tokens += countTokens(JSON.stringify({ name, arguments: values })) + countTokens(texts.join('\n'));
    return structuredContent as Values;
  }

  /** Makes a plan and then executes it. */
  async planned(name: string, values: Values): Promise<Values> {
    const { planToken } = await this.call(name, values);
    expect(planToken).toEqual(expect.any(String));
    return this.call(name, { ...values, planToken });
  }
}

/** Five tasks of an agent, each in a new conversation. */
const tasks: Record<string, (agent: CountedAgent, id: string) => Promise<void>> = {
  'design a template, check the draft, mend it and save it': async (agent, id) => {
    await agent.call('listTemplates', {});
    const draft = { ...templateBody('generic'), foregroundColor: '#777777', backgroundColor: '#777777' };
    const { findings } = await agent.call('lintTemplate', { templateId: id, body: { template: draft } });
    expect(findings).not.toEqual([]);
    const mended = { ...draft, foregroundColor: '#ffffff', backgroundColor: '#101010' };
    await agent.call('lintTemplate', { templateId: id, body: { template: mended } });
    expect(await agent.call('upsertTemplate', { templateId: id, body: mended })).toMatchObject({ id });
  },
  'replace a template': async (agent) => {
    const { type, title } = await agent.call('getTemplate', { templateId: 'generic' });
    const body = { ...templateBody('generic'), title: `${String(title)} +` };
    expect(await agent.planned('upsertTemplate', { templateId: 'generic', body })).toMatchObject({ type });
  },
  'issue a pass, change it, and find out whether it has arrived': async (agent, id) => {
    const body = { ...passBody('generic'), id };
    await agent.call('createPass', { templateId: 'generic', idempotencyKey: id, body });
    const pass = { templateId: 'generic', passId: id };
    await agent.call('updatePass', { ...pass, body: { primaryValue: 'Grace' } });
    await agent.call('getPassDelivery', pass);
  },
  'void a pass': async (agent, id) => {
    await account.post(`/v1/pass/generic/${id}`, passBody('generic'));
    const pass = { templateId: 'generic', passId: id };
    await agent.call('getPass', pass);
    expect(await agent.planned('voidPass', pass)).toMatchObject({ pass: { voided: true } });
  },
  'find the passes that expire soon': async (agent) => {
    const soon = { templateId: 'generic', expiresBefore: '2999-06-01T00:00:00.000Z' };
    const { data, nextCursor } = await agent.call('listPasses', soon);
    expect(data).not.toEqual([]);
    if (nextCursor) await agent.call('listPasses', { ...soon, cursor: nextCursor });
  },
};

describe('the tokens that an agent reads', () => {
  beforeAll(async () => {
    await account.saveTemplate('generic');
    for (let at = 0; at < 30; at++) {
      const expiry = `2999-0${(at % 9) + 1}-01T00:00:00.000Z`;
      await account.post(`/v1/pass/generic/expiring-${at}`, { ...passBody('generic'), expiry });
    }
  });

  it('the list of tools has at most 9,000 tokens, as docs/agents.md states', async () => {
    const [short, whole] = [await CountedAgent.connect('/mcp'), await CountedAgent.connect('/mcp?outputSchemas=true')];
    expect(short.tokens).toBeLessThanOrEqual(MOST_LISTED);
    const text = readFileSync(join(__dirname, '../../../../docs/agents.md'), 'utf8');
    const [, one, other] = /about ([\d,]+) tokens \(o200k\) without them, ([\d,]+) with them/.exec(text) ?? [];
    const numberOf = (figure = '0') => Number(figure.replace(',', ''));
    for (const [said, { tokens }] of [[one, short] as const, [other, whole] as const]) {
      expect(Math.abs(numberOf(said) - tokens)).toBeLessThan(tokens * 0.03);
    }
  });

  it.each(Object.keys(tasks))(
    'an agent needs at most half as many tokens as with earlier versions to %s',
    async (task) => {
      const id = `task-${Object.keys(tasks).indexOf(task)}`;
      const agent = await CountedAgent.connect('/mcp');
      const list = agent.tokens;
      await tasks[task]?.(agent, id);
      // Without the list of tools, short results must still need no more tokens than full ones.
      const former = await CountedAgent.connect('/mcp?outputSchemas=true');
      const longList = former.tokens;
      await tasks[task]?.(former, `${id}-whole`);
      expect(agent.tokens - list).toBeLessThanOrEqual(former.tokens - longList);
      expect(agent.tokens).toBeLessThanOrEqual((FORMER_LIST + former.tokens - longList) / 2);
    },
  );
});
