import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { ollamaDigest } from '../endpoint/listed-models.ts';
import type { ModelServer } from '../endpoint/model-server.ts';
import { elements, member } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';
import { openAiReply } from './ollama-reply.ts';
import { type OllamaRequest, ollamaRequest } from './ollama-request.ts';

/** Cache lifetime of what the server says about itself. A model can be pulled again under the same name. */
const TRUSTED_MS = 60_000;
/** A server may answer every item with another name. */
const MAX_MODELS = 100;

/** What a server has said about one of its models. */
interface ModelFacts {
  readonly digest: string | null;
  /** Of the model in memory, in tokens. */
  readonly contextLength: number | null;
}

const NO_FACTS: ModelFacts = { digest: null, contextLength: null };

/** The part of an endpoint that is only for Ollama. On other servers it does nothing. */
export class OllamaServer {
  readonly #server: ModelServer;
  readonly #now: () => number;
  #isOllama: { readonly at: number; readonly answer: Promise<boolean> } | null = null;
  /** Something between passes only OpenAI's API on. */
  #isHidden = false;
  readonly #facts = new Map<string, { readonly at: number; readonly facts: Promise<ModelFacts> }>();

  constructor(server: ModelServer, now: () => number) {
    this.#server = server;
    this.#now = now;
  }

  /**
   * Sends an item through Ollama's own API. Returns the reply in OpenAI's shape; null if the server is another one, or the
   * item has to go through OpenAI's API. Rejects like `ModelServer.post`.
   */
  async post(
    jobType: EndpointJobType,
    body: Readonly<Record<string, unknown>>,
    model: string,
    signal: AbortSignal,
  ): Promise<object | null> {
    if (this.#isHidden || !(await this.#isServer())) return null;
    const request = ollamaRequest(jobType, body);
    if (request === null) return null;
    const reply = await this.#send(request, model, signal);
    return reply === null ? null : openAiReply(jobType, reply);
  }

  async #send({ path, body }: OllamaRequest, model: string, signal: AbortSignal): Promise<object | null> {
    try {
      return await this.#server.postRoot(path, { ...body, model }, signal);
    } catch (error) {
      // Ollama itself names the model that cannot do this.
      const isHidden =
        error instanceof RunFailure &&
        error.code === 'not_supported' &&
        !/does not support/.test(error.message);
      if (!isHidden) throw error;
      this.#isHidden = true;
      return null;
    }
  }

  /**
   * Throws a permanent `RunFailure` if Ollama has cut the prompt. Releases before 0.12.6 do that without saying so, and
   * OpenAI's API of all releases: the prompt then fills the context to its last token.
   */
  async refuseTruncated(
    ran: RunFailure['ran'],
    model: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const read = ran?.usage?.input_tokens;
    if (read === undefined || !(await this.#isServer())) return;
    const asked = params['num_ctx'] ?? member(params['options'], 'num_ctx');
    const context = typeof asked === 'number' ? asked : (await this.#factsOf(model)).contextLength;
    if (context === null || read < context) return;
    throw new RunFailure(
      'permanent',
      'prompt_truncated',
      `Ollama cut the prompt to its context of ${context} tokens: raise num_ctx in params, or shorten the prompt`,
      { ran },
    );
  }

  /** Returns the digest of a model; null if the server reports none. */
  async digestOf(model: string): Promise<string | null> {
    return (await this.#factsOf(model)).digest;
  }

  /** Whether the server answers like Ollama. A failure to find out fails no item. */
  #isServer(): Promise<boolean> {
    const known = this.#isOllama;
    if (known !== null && this.#now() - known.at < TRUSTED_MS) return known.answer;
    const answer = this.#server.askRoot('/api/version').then(
      (version) => typeof member(version, 'version') === 'string',
      () => false,
    );
    this.#isOllama = { at: this.#now(), answer };
    return answer;
  }

  #factsOf(model: string): Promise<ModelFacts> {
    const known = this.#facts.get(model);
    if (known !== undefined && this.#now() - known.at < TRUSTED_MS) return known.facts;
    if (this.#facts.size >= MAX_MODELS) this.#facts.clear();
    const facts = this.#askFacts(model).catch(() => NO_FACTS);
    this.#facts.set(model, { at: this.#now(), facts });
    return facts;
  }

  async #askFacts(model: string): Promise<ModelFacts> {
    if (!(await this.#isServer())) return NO_FACTS;
    const [tags, ps] = await Promise.all([
      this.#server.askRoot('/api/tags'),
      this.#server.askRoot('/api/ps').catch(() => undefined),
    ]);
    const names = [model, `${model}:latest`];
    const running = elements(member(ps, 'models')).find((one) =>
      names.some((name) => member(one, 'name') === name),
    );
    const context = member(running, 'context_length');
    return {
      digest: ollamaDigest(tags, model),
      contextLength: typeof context === 'number' && context > 0 ? context : null,
    };
  }
}
