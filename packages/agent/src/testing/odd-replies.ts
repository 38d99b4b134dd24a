import fc from 'fast-check';

/** Texts with characters that JSON, databases and cuts get wrong. */
const oddText = fc.string({
  unit: fc.constantFrom('a', 'é', '😀', '\ud800', '\udc00', '\u0000', '\n', '\r', '\u2028', '"', '\\'),
  maxLength: 20,
});
const longText = fc.tuple(oddText, fc.constantFrom(0, 199, 499, 500, 501, 3000)).map(([text, length]) => {
  return text + 'x'.repeat(length) + text;
});
const oddNumber = fc.constantFrom(
  -1,
  0,
  3,
  0.5,
  2 ** 53,
  1e300,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
);
const nested = fc.constantFrom<unknown>(
  ...[3, 99, 101, 20_000].map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  longText,
  oddNumber,
  nested,
  fc.constantFrom(null, true, {}, [], { toString: 1, valueOf: 2 }),
  fc.jsonValue({ maxDepth: 3 }),
);
const extras = fc.dictionary(
  fc.oneof(oddText, fc.constantFrom('reasoning', 'logprobs', 'audio', 'tool_calls', '__proto__', 'dropped')),
  oddValue,
  { maxKeys: 4 },
);
const part = fc.oneof(
  oddValue,
  fc.record({ type: fc.constantFrom('text', 'thinking', 'image'), text: oddValue, thinking: oddValue }),
);
const finishReason = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'refusal') },
  { weight: 1, arbitrary: oddValue },
);
const usage = fc.oneof(
  oddValue,
  fc.record({ prompt_tokens: oddValue, completion_tokens: oddValue, details: extras }, { requiredKeys: [] }),
);

/** Replies of a model server to a chat request: mostly of the right shape, with odd content everywhere. */
export const oddChatReply = fc
  .record({
    content: fc.oneof(longText, fc.array(part, { maxLength: 3 }), oddValue),
    refusal: fc.option(longText, { freq: 5 }),
    finishReason,
    error: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: oddValue }),
    ofMessage: extras,
    ofChoice: extras,
    ofReply: extras,
    model: fc.oneof(longText, oddValue),
    usage,
  })
  .map(
    ({ content, refusal, finishReason: finish_reason, error, ofMessage, ofChoice, ofReply, ...reply }) => ({
      ...ofReply,
      ...reply,
      choices: [{ ...ofChoice, finish_reason, error, message: { ...ofMessage, content, refusal } }],
    }),
  );

/** Replies to a request to embed one text: vectors with odd members, in odd shapes. */
export const oddEmbeddingReply = fc.record({
  data: fc.oneof(
    { weight: 1, arbitrary: oddValue },
    {
      weight: 4,
      arbitrary: fc.array(
        fc.record({ embedding: fc.oneof(fc.array(fc.oneof(fc.double(), oddNumber)), oddText, oddValue) }),
        { minLength: 1, maxLength: 2 },
      ),
    },
  ),
  model: fc.oneof(longText, oddValue),
  usage,
});
