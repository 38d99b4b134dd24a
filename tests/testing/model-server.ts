import { serveLocally } from '@macbatch/testing';

/** A model server that answers chat requests when the test allows it. */
export interface ModelServer {
  /** Base URL for `--endpoint`. */
  readonly url: string;
  /** The answered prompts in order. */
  readonly answered: readonly string[];
  /** The prompts that wait for an answer. */
  readonly waiting: readonly string[];
  /** Allows this many more answers. */
  allow(answers: number): void;
}

/** Starts a model server that answers nothing yet. It stops when the test has finished. */
export async function modelServer(): Promise<ModelServer> {
  const answered: string[] = [];
  let allowed = 0;
  let waiting: { readonly prompt: string; readonly answer: () => void }[] = [];

  const url = await serveLocally((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(404).end('{}');
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
      const prompt = messages.at(-1)?.content ?? '';
      const entry = {
        prompt,
        answer() {
          answered.push(prompt);
          const message = { role: 'assistant', content: `You said: ${prompt}` };
          response.end(JSON.stringify({ model: 'parrot-1', choices: [{ finish_reason: 'stop', message }] }));
        },
      };
      response.on('close', () => {
        waiting = waiting.filter((each) => each !== entry);
      });
      waiting.push(entry);
      sendAllowed();
    });
  });

  function sendAllowed(): void {
    while (allowed > 0) {
      const next = waiting.shift();
      if (next === undefined) return;
      allowed -= 1;
      next.answer();
    }
  }

  return {
    url: `${url}/v1`,
    answered,
    get waiting() {
      return waiting.map(({ prompt }) => prompt);
    },
    allow(answers) {
      allowed += answers;
      sendAllowed();
    },
  };
}
