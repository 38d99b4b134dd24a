import type { Surface } from '../requests/mount.ts';
import { DIRECT_MESSAGE_PATHS } from './anthropic-paths.ts';
import { AnthropicRefusal } from './anthropic-refusal.ts';

/** Refuses direct calls, and says how to submit them. */
export function mountDirectMessages({ app, authenticator }: Surface): void {
  for (const path of DIRECT_MESSAGE_PATHS) {
    app.post(path, async (c) => {
      await authenticator.admitAnthropic(c);
      throw new AnthropicRefusal(
        400,
        `This is a batch pool: nobody waits for its answers, so it does not serve POST ${path} directly. ` +
          'Submit messages to POST /v1/messages/batches as {"requests": [{"custom_id": "…", "params": {…}}]}.',
      );
    });
  }
}
