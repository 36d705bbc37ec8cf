// Lets a process use only the processor time that no other process needs.
import { existsSync, mkdirSync, rmdir, rmdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

/** The root control group of Linux's processor controller, in version 1 and 2. */
const controllers = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/**
 * Restricts a detached process to idle processor time. A low priority alone does not suffice: Linux lets a running
 * process finish its time slice, so the wake-ups of all other processes wait up to four milliseconds. Only processes in
 * an idle control group are interrupted immediately. Creating one needs root; without it, the process gets the lowest
 * priority.
 * @returns a function that removes the control group; call it when the process has ended
 */
export function useIdleTimeOnly(pid) {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  lowerSession(pid);
  const group = idleGroup(`soak-${pid}`);
  if (!group) return () => undefined;
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
  return () => rmdir(group, () => undefined);
}

/**
 * Lowers the priority of the session of a process. With autogroups, Linux compares priorities only within a session, and
 * each Postgres process has its own session.
 */
function lowerSession(pid) {
  const autogroup = `/proc/${pid}/autogroup`;
  if (existsSync(autogroup)) writeFileSync(autogroup, String(constants.priority.PRIORITY_LOW));
}

/** Creates a control group for idle time. Returns undefined if the system does not have or allow it. */
function idleGroup(name) {
  for (const controller of controllers) {
    const group = join(controller, name);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(group, 'cpu.idle'), '1', { flag: 'r+' });
      return group;
    } catch {
      rmdirSync(group);
    }
  }
  return undefined;
}
