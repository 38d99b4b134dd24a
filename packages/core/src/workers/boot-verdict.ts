/** What the control plane knew of a program that has started. */
export const BOOT_VERDICTS = ['first_seen', 'same_machine_new_process', 'same_name_wiped_disk'] as const;
export type BootVerdict = (typeof BOOT_VERDICTS)[number];

/**
 * B4: from inside, a wiped disk and a new machine look alike; who keeps every boot can tell more. A program
 * that finds no record of its own, but whose name is known, has lost its disk or is another machine.
 */
export function bootVerdict(boot: {
  readonly nameKnown: boolean;
  readonly recordFound: boolean;
}): BootVerdict {
  if (!boot.nameKnown) return 'first_seen';
  return boot.recordFound ? 'same_machine_new_process' : 'same_name_wiped_disk';
}
