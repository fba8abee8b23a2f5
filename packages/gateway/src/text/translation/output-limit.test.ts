import { expect, test } from 'bun:test'
import { limitIn } from './output-limit.ts'

test.each<[message: string, cap: number | undefined, isOfModel?: boolean]>([
  ['max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5', 8_192, true],
  ['The maximum tokens you requested exceeds the model limit of 4096. Try again with a lower value.', 4_096, true],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8_192, true],
  ['Range of max_tokens should be [1, 8,192]', 8_192, true],
  ['max_tokens must be less than or equal to 16384', 16_384, true],
  ['max_tokens is too large: 32000. This model supports at most 4096 completion tokens.', 4_096, true],
  ['input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input', 10_000, false],
  ["'max_tokens' is too large: 32000. Your request has 100 input tokens (32000 > 8192 - 100).", 8_092, false],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 32100 tokens (100 in the messages, 32000 in the completion).",
    8_092,
    false,
  ],
  ['max_tokens: Field required', undefined],
  ['max_tokens: 32000 > 64000', undefined],
  ['prompt is too long: 212000 tokens > 200000 maximum', undefined],
  ['temperature: must be between 0 and 1', undefined],
  ["This model's maximum context length is 8192 tokens.", undefined],
  ['input length and `max_tokens` exceed context limit: 210000 + 32000 > 200000', undefined],
])('%s', (message, cap, isOfModel = true) => {
  const expected = cap === undefined ? undefined : { cap, isOfModel }
  expect(limitIn({ code: 'bad_request', message }, 32_000)).toEqual(expected)
})
