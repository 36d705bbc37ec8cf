import { Injectable } from '@nestjs/common';
import { PassDevicesService } from '@passwright/apple-wallet';
import { Clock } from '@passwright/core';
import { GoogleProgressService } from '@passwright/google-wallet';
import { IssuedPassesService } from '@passwright/passes';

/** Counting stops here, because a plan must not cost more than its execution. */
const MOST = 100_000;

/** The passes and phones that a planned call changes. A count of 100,000 stands for that many or more. */
export interface PlanReach {
  readonly passes: number;
  /** Apple devices that hold one of the passes. */
  readonly appleDevices: number;
  /** The passes that a holder has saved to Google Wallet. */
  readonly googlePasses: number;
}

/** Counts what a planned call reaches, so that a person can judge the plan. */
@Injectable()
export class PlanReachService {
  constructor(
    private readonly passes: IssuedPassesService,
    private readonly devices: PassDevicesService,
    private readonly google: GoogleProgressService,
    private readonly clock: Clock,
  ) {}

  async ofTemplate(accountId: string, templateId: string): Promise<PlanReach> {
    const [passes, appleDevices, googlePasses] = await Promise.all([
      this.passes.count(accountId, templateId, MOST),
      this.devices.countHolding(accountId, { templateId }, MOST),
      this.google.countHeld(accountId, templateId, MOST),
    ]);
    return { passes, appleDevices, googlePasses };
  }

  /** Returns null for a pass that does not exist. */
  async ofPass(accountId: string, templateId: string, passId: string): Promise<PlanReach | null> {
    const issued = await this.passes.find({ accountId, templateId, passId });
    if (!issued) return null;
    const { serialNumber } = issued.pass;
    const [appleDevices, reach] = await Promise.all([
      this.devices.countHolding(accountId, { serialNumber }, MOST),
      this.google.reach(accountId, [serialNumber], this.clock.now()),
    ]);
    return { passes: 1, appleDevices, googlePasses: reach.get(serialNumber)?.isInstalled ? 1 : 0 };
  }
}

/** Describes a reach in a sentence. */
export function reachInWords({ passes, appleDevices, googlePasses }: PlanReach): string {
  const count = (number: number, one: string, many: string) =>
    `${number >= MOST ? 'at least ' : ''}${number.toLocaleString('en')} ${number === 1 ? one : many}`;
  const apple = count(appleDevices, 'Apple device', 'Apple devices');
  const google = count(googlePasses, 'pass in Google Wallet', 'passes in Google Wallet');
  return `It reaches ${count(passes, 'pass', 'passes')}, on ${apple} and with ${google}.`;
}
