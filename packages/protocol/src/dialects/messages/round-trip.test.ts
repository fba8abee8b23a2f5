import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ANSWERING,
  decoded,
  decodedFrames,
  frame,
  streamed,
  type WireObject,
} from '../../../fixtures/messages/answers.ts'
import { fold, unfold } from '../../canonical/reply.ts'
import type { CanonicalRequest } from '../../canonical/request.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { openStreamEncoder } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== '')
const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/)
const input = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map(
  // Only what JSON can say: no -0.
  (value): WireObject => JSON.parse(JSON.stringify(value)),
)
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined })
const clean = (value: WireObject): WireObject => JSON.parse(JSON.stringify(value))

const textBlock = words.map((text): WireObject => ({ type: 'text', text }))
const thinking = fc.record({ type: fc.constant('thinking'), thinking: fc.string({ maxLength: 9 }), signature: words })
const redacted = fc.record({ type: fc.constant('redacted_thinking'), data: words })
const hosted = fc
  .constantFrom('server_tool_use', 'web_search_tool_result', 'fallback')
  .map((type) => ({ type, input: {} }))
const citation = fc.record({ type: fc.constant('search_result_location'), source: fc.webUrl(), cited_text: words })

const answerBlock = fc.oneof(
  fc.record({
    type: fc.constant('text'),
    text: words,
    citations: fc.oneof(fc.constant(null), fc.array(citation, { maxLength: 2 })),
  }),
  thinking,
  redacted,
  fc.record({ type: fc.constant('tool_use'), id: name, name, input }),
  hosted,
)

const count = fc.nat(100_000)
const answer = fc.record({
  id: name,
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: name,
  content: fc.array(answerBlock, { maxLength: 5 }),
  stop_reason: fc.constantFrom('end_turn', 'max_tokens', 'tool_use', 'refusal', 'pause_turn', 'brand_new'),
  stop_sequence: fc.constant(null),
  usage: fc.record({
    input_tokens: fc.integer({ min: 1, max: 100_000 }),
    cache_read_input_tokens: count,
    cache_creation_input_tokens: count,
    output_tokens: count,
  }),
}) as fc.Arbitrary<WireObject>

test('an answer reads the same streamed and whole, however its bytes are cut', () => {
  fc.assert(
    fc.property(answer, fc.array(fc.nat(), { maxLength: 4 }), (message, cuts) => {
      const whole = decodeReply(message)
      const text = streamed(message).map(frame).join('')
      const length = Buffer.byteLength(text)
      const sorted = cuts.map((cut) => cut % length).sort((one, other) => one - other)
      const events = decoded(text, sorted)
      expect(whole.ok && whole.reply).toEqual(fold(events))
      expect(events).toEqual(decodedFrames(streamed(message)))
    }),
    { numRuns: 150 },
  )
})

test('an answer written for a client, and read again, is the same', () => {
  fc.assert(
    fc.property(answer, (message) => {
      const read = decodeReply(message)
      if (!read.ok) throw new Error('unreadable')
      const answering = { ...ANSWERING, seal: (signature: string) => signature }
      const encoder = openStreamEncoder(answering)
      const streamedAgain = fold(decoded([...unfold(read.reply)].map((event) => encoder.write(event)).join('')))
      const wholeAgain = decodeReply(encodeReply(read.reply, answering))
      const [choice] = read.reply.choices
      for (const again of [streamedAgain, wholeAgain.ok ? wholeAgain.reply : undefined]) {
        expect(again?.choices[0]?.blocks as unknown).toEqual(choice?.blocks)
        expect(again?.usage as unknown).toEqual(read.reply.usage)
        if (choice?.stop?.reason !== 'other') expect(again?.choices[0]?.stop as unknown).toEqual(choice?.stop)
      }
    }),
    { numRuns: 150 },
  )
})

const cached = maybe(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }))
const image = fc.record({
  type: fc.constant('image'),
  source: fc.constantFrom<WireObject>(
    { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'url', url: 'https://a.example/p.png' },
    { type: 'file', file_id: 'file_1' },
  ),
})
const document = fc.record({
  type: fc.constant('document'),
  source: fc.constantFrom<WireObject>(
    { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    { type: 'text', media_type: 'text/plain', data: 'a' },
    { type: 'url', url: 'https://a.example/l.pdf' },
  ),
  title: maybe(words),
  context: maybe(words),
  citations: maybe(fc.constant({ enabled: true })),
})
const shown = fc.oneof(textBlock, image, document)

/** A user asks, the assistant thinks and calls, the user brings results; some of it, several times. */
const exchange = fc
  .record({
    asked: fc.array(shown, { minLength: 1, maxLength: 3 }),
    thought: fc.array(fc.oneof(thinking, redacted), { maxLength: 2 }),
    said: textBlock,
    calls: fc.array(fc.record({ name, input, isError: fc.boolean(), result: fc.array(shown, { maxLength: 2 }) }), {
      maxLength: 3,
    }),
  })
  .map(({ asked, thought, said, calls }) => (at: number): WireObject[] => {
    const uses = calls.map((call, index) => ({
      type: 'tool_use',
      id: `c${at}_${index}`,
      name: call.name,
      input: call.input,
    }))
    const results = calls.map((call, index) => ({
      type: 'tool_result',
      tool_use_id: `c${at}_${index}`,
      ...(call.isError ? { is_error: true } : {}),
      ...(call.result.length > 0 ? { content: call.result } : {}),
    }))
    const turns: WireObject[] = [
      { role: 'user', content: asked },
      { role: 'assistant', content: [...thought, said, ...uses] },
    ]
    // The next question follows in the same turn: this dialect has one turn for both.
    return results.length === 0
      ? turns
      : [...turns, { role: 'user', content: results }, { role: 'assistant', content: 'Done.' }]
  })

const request = fc
  .record({
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 3 }),
    body: fc.record({
      max_tokens: fc.integer({ min: 5000, max: 100_000 }),
      system: maybe(
        fc.oneof(
          words,
          fc.array(fc.record({ type: fc.constant('text'), text: words, cache_control: cached }), {
            minLength: 2,
            maxLength: 3,
          }),
        ),
      ),
      tools: maybe(
        fc.uniqueArray(
          fc.record({
            name,
            description: maybe(words),
            input_schema: fc.constant({ type: 'object', properties: {} }),
            cache_control: cached,
          }),
          { minLength: 1, maxLength: 1, selector: (tool) => tool.name },
        ),
      ),
      thinking: maybe(
        fc.constantFrom<WireObject>(
          { type: 'enabled', budget_tokens: 2048 },
          { type: 'enabled', budget_tokens: 4096, display: 'omitted' },
          { type: 'adaptive', display: 'summarized' },
          { type: 'disabled' },
        ),
      ),
      output_config: maybe(
        fc.constantFrom<WireObject>(
          { effort: 'low' },
          { format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } } },
        ),
      ),
      stop_sequences: maybe(fc.array(words, { minLength: 1, maxLength: 2 })),
      metadata: maybe(fc.constant({ user_id: 'u' })),
      service_tier: maybe(fc.constantFrom('auto', 'standard_only')),
      stream: maybe(fc.boolean()),
    }),
  })
  .map(({ exchanges, body }): WireObject => {
    const messages: WireObject[] = [
      ...exchanges.flatMap((turns, at) => turns(at)),
      { role: 'user', content: 'And now?' },
    ]
    return clean({ model: 'm', ...body, messages })
  })

/** Without the places in the caller's body, which a string in place of one block changes. */
const placeless = (value: CanonicalRequest): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner)))

test('a request that this dialect can express survives its own translation', () => {
  fc.assert(
    fc.property(request, (wire) => {
      const read = decodeRequest(wire)
      const warnings: string[] = []
      const { body } = encodeRequest(read, {
        model: 'm',
        maxOutput: undefined,
        warn: (field, reason) => void warnings.push(`${field};${reason}`),
        unseal: (signature) => signature,
        fetched: () => ({ kind: 'inline', mime: 'image/png', data: 'AAAA' }),
      })
      const isTurnedOff = warnings.includes('reasoning;off')
      const { effort } = read.reasoning
      const off = { mode: 'off' as const, ...(effort === undefined ? {} : { effort }) }
      const expected = isTurnedOff ? { ...read, reasoning: off } : read
      expect(placeless(decodeRequest(body))).toEqual(placeless(expected))
      expect(warnings.filter((warning) => warning !== 'reasoning;off')).toEqual([])
    }),
    { numRuns: 200 },
  )
})
