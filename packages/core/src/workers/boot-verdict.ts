/** What the control plane knew about a program that has just started. */
export const BOOT_VERDICTS = ['first_seen', 'same_machine_new_process', 'same_name_wiped_disk'] as const;
export type BootVerdict = (typeof BOOT_VERDICTS)[number];

/**
 * Compares a boot with what the control plane knows (rule B4). A program
 * without a local record whose name is known has lost its disk or runs on another machine.
 */
export function bootVerdict(boot: {
  readonly nameKnown: boolean;
  readonly recordFound: boolean;
}): BootVerdict {
  if (!boot.nameKnown) return 'first_seen';
  return boot.recordFound ? 'same_machine_new_process' : 'same_name_wiped_disk';
}
