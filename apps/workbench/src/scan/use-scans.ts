import { InvalidTransition, type Passwright, type ResponseOf } from '@passwright/client';
import { useRef, useState } from 'preact/hooks';
import type { Session } from '../api/session.js';
import { inLocalTime } from '../model/dates.js';
import { type Verdict, verdictOf } from '../model/scan.js';
import { messageOf } from '../ui/errors.js';
import type { Feedback } from './feedback.js';

export type ScannedPass = ResponseOf<'listPasses'>['data'][number];

/** A scanned code and what the service knows about it. */
export interface Scan {
  readonly code: string;
  /** The idempotency key of all attempts to redeem the pass, so that they redeem it once. */
  readonly idempotencyKey: string;
  readonly pass: ScannedPass | null;
  /** Null until the service has responded. */
  readonly verdict: Verdict | null;
  /** A failure after which the same step can be tried again. */
  readonly problem: string | null;
}

interface Scans {
  readonly scan: Scan | null;
  readonly isBusy: boolean;
  /**
   * Looks a code up. Ignores a code that is already on the screen. During a redemption, another code waits until the
   * person has seen the result.
   */
  readonly look: (code: string) => void;
  /**
   * Handles a code that the camera sees again after a short gap: warns if the screen shows its pass as redeemed, and
   * repeats a failed look-up.
   */
  readonly lookBack: (code: string) => void;
  readonly redeem: () => void;
  /** Clears the screen, and looks up a waiting code. */
  readonly clear: () => void;
}

const unknown: Verdict = {
  tone: 'ended',
  title: 'Unknown code',
  text: 'No pass of this template has this code.',
  isRedeemable: false,
};
const rejected: Verdict = { tone: 'ended', title: 'Not redeemed', text: '', isRedeemable: false };
const redeemed: Verdict = { tone: 'good', title: 'Redeemed', text: 'Let the holder in.', isRedeemable: false };
const shownAgain: Verdict = {
  tone: 'waiting',
  title: 'Shown again',
  text: 'This pass was redeemed a moment ago. It lets in only one holder.',
  isRedeemable: false,
};

/** A redemption whose result the screen never showed, because its response was lost or the person pressed Next. */
interface Unseen {
  readonly passId: string;
  readonly idempotencyKey: string;
}

/** Manages the scan on the screen. */
function useScreen(feedback: Feedback) {
  const [scan, setScan] = useState<Scan | null>(null);
  const [isBusy, setBusy] = useState(false);
  const current = useRef<Scan | null>(null);
  const show = (next: Scan | null) => {
    current.current = next;
    setScan(next);
    setBusy(false);
  };
  /**
   * Shows a scan, and then the result of its next step, unless the screen shows another scan by then.
   * @returns true if nothing is left to redeem
   */
  const run = async (shown: Scan, step: Promise<Scan>): Promise<boolean> => {
    show(shown);
    setBusy(true);
    const next = await step;
    if (current.current !== shown) return false;
    show(next);
    feedback.give(next.problem === null && next.verdict?.tone === 'good');
    return !isOpen(next) && next.problem === null;
  };
  return { scan, isBusy, current, show, run };
}

/** Looks up and redeems the passes of a template, one at a time. */
export function useScans({ api }: Session, templateId: string, feedback: Feedback): Scans {
  const { scan, isBusy, current, show, run } = useScreen(feedback);
  const redeeming = useRef<Scan | null>(null);
  const waiting = useRef<string | null>(null);
  const unseen = useRef(new Map<string, Unseen>());
  const runStep = async (asked: Scan, step: Promise<Scan>) => {
    if (await run(asked, step)) unseen.current.delete(asked.code);
  };
  const look = (code: string) => {
    if (code === '' || (code === current.current?.code && isOpen(current.current))) return;
    const isRedeeming = redeeming.current !== null && redeeming.current === current.current;
    waiting.current = isRedeeming ? code : null;
    if (isRedeeming) return;
    const asked: Scan = { code, idempotencyKey: newKey(), pass: null, verdict: null, problem: null };
    void runStep(asked, lookedUp(api, templateId, asked, unseen.current.get(code)));
  };
  const lookBack = (code: string) => {
    const shown = current.current;
    if (code !== shown?.code) return;
    if (shown.verdict === redeemed) show({ ...shown, verdict: shownAgain });
    else if (shown.pass === null && shown.problem !== null) look(code);
  };
  return {
    scan,
    isBusy,
    look,
    lookBack,
    redeem: () => {
      if (!scan?.pass || isBusy) return;
      const asked: Scan = { ...scan, problem: null };
      redeeming.current = asked;
      unseen.current.set(asked.code, { passId: scan.pass.id, idempotencyKey: asked.idempotencyKey });
      void runStep(asked, redeemedNow(api, templateId, asked, scan.pass.id));
    },
    clear: () => {
      show(null);
      if (waiting.current !== null) look(waiting.current);
    },
  };
}

/**
 * Returns true while a scan is being looked up or can be redeemed. Its code is then ignored. Later it is looked up
 * again, because another holder may show the same code.
 */
function isOpen({ verdict, problem }: Scan): boolean {
  return problem === null && (verdict?.isRedeemable ?? true);
}

/**
 * Looks a code up.
 * @param earlier a redemption by this device whose result the screen never showed. If the pass is already redeemed,
 * this redemption is sent again to get its result
 */
async function lookedUp(api: Passwright, templateId: string, asked: Scan, earlier?: Unseen): Promise<Scan> {
  try {
    const { data } = await api.listPasses({ templateId, code: asked.code, limit: 1 });
    const [pass] = data;
    if (!pass) return { ...asked, verdict: unknown };
    const verdict = verdictOf(pass, Date.now(), inLocalTime);
    if (earlier?.passId !== pass.id) return { ...asked, pass, verdict };
    const again = { ...asked, idempotencyKey: earlier.idempotencyKey, pass, verdict };
    return pass.redeemedAt === undefined ? again : await redeemedNow(api, templateId, again, pass.id);
  } catch (error) {
    return { ...asked, problem: messageOf(error) };
  }
}

async function redeemedNow(api: Passwright, templateId: string, shown: Scan, passId: string): Promise<Scan> {
  try {
    await api.redeemPass({ templateId, passId, idempotencyKey: shown.idempotencyKey });
    return { ...shown, verdict: redeemed, problem: null };
  } catch (error) {
    const text = messageOf(error);
    if (error instanceof InvalidTransition) return { ...shown, verdict: { ...rejected, text }, problem: null };
    return {
      ...shown,
      problem: `${text} Try again: the pass is redeemed once, even if the first try has succeeded.`,
    };
  }
}

/** Returns a random key. Does not use `randomUUID`, which pages without TLS lack. */
function newKey(): string {
  return `scan-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
