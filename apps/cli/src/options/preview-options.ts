import { EXIT, Failure } from '@macbatch/terminal';
import { type Command, Option } from 'commander';

/** The options that show a job before it runs. */
export interface PreviewFlags {
  readonly dryRun?: boolean;
  /** True without a number. */
  readonly try?: string | true;
  readonly yes?: boolean;
}

const DEFAULT_TRIED = 5;
/** Tried items are held in memory. */
const MAX_TRIED = 1000;

/** Adds the options that show a job before it runs. */
export function withPreviewOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--dry-run', 'read the input, show what would run, and send nothing').conflicts('try'),
    )
    .option(
      '--try [n]',
      `run n items first (default: ${DEFAULT_TRIED}), show them, and ask before the others run`,
    )
    .option('--yes', 'do not ask after --try');
}

/** Returns how many items are tried first; null if none. */
export function triedCount({ try: given, yes }: PreviewFlags): number | null {
  if (given === undefined) {
    if (yes === true) throw new Failure(EXIT.usage, '--yes needs --try');
    return null;
  }
  const count = given === true ? DEFAULT_TRIED : Number(given);
  if (!Number.isInteger(count) || count < 1 || count > MAX_TRIED)
    throw new Failure(EXIT.usage, `--try must be a number from 1 to ${MAX_TRIED}, not "${String(given)}"`);
  return count;
}
