import { COMMANDS, HELP } from './commands.ts';

const [name = '', ...args] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined || args.length > command.args.length || args.some((arg) => arg.startsWith('-'))) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else {
  try {
    process.stdout.write(await command.run(...args));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
