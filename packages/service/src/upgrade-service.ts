import { EXIT, Failure } from '@macbatch/terminal';
import { awaitSign } from './await-sign.ts';
import { readInstallRecord } from './install-record.ts';
import { LogFollower } from './log-follower.ts';
import { openManager } from './open-manager.ts';
import { packageSource, upgradeSteps } from './package-source.ts';
import { reportSign } from './report-sign.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServiceManager } from './service-manager.ts';
import { type ServicePaths, servicePaths } from './service-paths.ts';

/** The installed service. */
interface InstalledService {
  readonly manager: ServiceManager;
  readonly paths: ServicePaths;
  /** The main file that the service runs. */
  readonly program: string;
}

/** Finds the installed service. Throws a `Failure` if there is none. */
export async function findService({ kind, home, env, host }: ServiceContext): Promise<InstalledService> {
  const record = await readInstallRecord(servicePaths(kind, home, false, env).record);
  if (record === null)
    throw new Failure(EXIT.usage, 'The worker is not installed as a service. Run: macbatch worker install');
  const { boot, program } = record;
  return { manager: openManager(kind, boot, host), paths: servicePaths(kind, home, boot, env), program };
}

/** Replaces the package by its package manager, then restarts the service. */
export async function upgradeService(context: ServiceContext): Promise<void> {
  const { program } = await findService(context);
  const steps = upgradeSteps(packageSource(program));
  if (steps === null)
    throw new Failure(
      EXIT.usage,
      `Nobody knows how macbatch was installed at ${program}. Replace it, then run: macbatch worker restart`,
    );
  for (const { file, args, cwd } of steps) {
    context.say(`${cwd === undefined ? '' : `in ${cwd}: `}${[file, ...args].join(' ')}`);
    const code = await context.host.show(file, args, cwd);
    if (code !== 0)
      throw new Failure(
        EXIT.incomplete,
        `${file} failed with exit code ${code}. The worker was not restarted, and goes on with what it has loaded.`,
      );
  }
  await restartService(context);
}

/** Starts the service, or restarts it, and waits until it works. */
export async function restartService(
  context: ServiceContext,
  how: 'start' | 'restart' = 'restart',
): Promise<void> {
  const { manager, paths } = await findService(context);
  const log = await LogFollower.atEnd(paths.log);
  const { running } = await manager.state();
  if (how === 'start' && running) {
    await log.close();
    return context.say('The worker is running already.');
  }
  await manager[how](paths.definition);
  await reportSign(context, await awaitSign(context, log), await context.describe(false), paths.crashLog);
}
