import { Injectable } from '@nestjs/common';
import { PassDevicesService } from '@passwright/apple-wallet';
import { Clock } from '@passwright/core';
import { GoogleProgressService } from '@passwright/google-wallet';
import { IssuedPassesService } from '@passwright/passes';
import { counted } from '../counted.js';

/** The maximum count of rows of each kind, because a plan must not cost more than its execution. */
const MOST = 100_000;

interface Count {
  readonly count: number;
  /** True if the real number may be higher, because counting stopped early. */
  readonly isAtLeast: boolean;
}

/** How many passes, Apple devices and saved Google passes a call of an MCP tool would reach. */
export interface PlanReach {
  readonly passes: Count;
  /** Apple devices that hold one of the passes. */
  readonly appleDevices: Count;
  /** The passes that a holder has saved to Google Wallet. */
  readonly googlePasses: Count;
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
    return { passes: { count: passes, isAtLeast: passes >= MOST }, appleDevices, googlePasses };
  }

  /** Counts what a planned call on one pass reaches. Returns null for a missing pass. */
  async ofPass(accountId: string, templateId: string, passId: string): Promise<PlanReach | null> {
    const issued = await this.passes.find({ accountId, templateId, passId });
    if (!issued) return null;
    const { serialNumber } = issued.pass;
    const [appleDevices, reach] = await Promise.all([
      this.devices.countHolding(accountId, { serialNumber }, MOST),
      this.google.reach(accountId, [serialNumber], this.clock.now()),
    ]);
    return {
      passes: exactly(1),
      appleDevices,
      googlePasses: exactly(reach.get(serialNumber)?.isInstalled ? 1 : 0),
    };
  }
}

function exactly(count: number): Count {
  return { count, isAtLeast: false };
}

/** Returns only the counts of a reach, without `isAtLeast`. */
export function reachInNumbers({ passes, appleDevices, googlePasses }: PlanReach): Record<keyof PlanReach, number> {
  return { passes: passes.count, appleDevices: appleDevices.count, googlePasses: googlePasses.count };
}

/** Describes in a sentence how many passes and phones a call changes. */
export function reachInWords({ passes, appleDevices, googlePasses }: PlanReach): string {
  const words = ({ count, isAtLeast }: Count, one: string, many: string) =>
    `${isAtLeast ? 'at least ' : ''}${counted(count, one, many)}`;
  const apple = words(appleDevices, 'Apple device', 'Apple devices');
  const google = words(googlePasses, 'pass in Google Wallet', 'passes in Google Wallet');
  return `It reaches ${words(passes, 'pass', 'passes')}, on ${apple} and with ${google}.`;
}
