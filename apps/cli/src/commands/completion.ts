import { script } from '@bomb.sh/tab';
import type { Command } from 'commander';
import { addCommand } from './command-names.ts';

/** Adds the command `completion`. */
export function addCompletion(program: Command): void {
  const command = addCommand(program, 'completion');
  for (const argument of command.registeredArguments) argument.choices(['zsh', 'bash', 'fish']);
  command
    .addHelpText(
      'after',
      '\nzsh:   source <(macbatch completion zsh)      in ~/.zshrc\nbash:  source <(macbatch completion bash)     in ~/.bashrc, with the package bash-completion\nfish:  macbatch completion fish > ~/.config/fish/completions/macbatch.fish',
    )
    .action((shell: string) => script(shell, 'macbatch', 'macbatch'));
}
