// How an upstream of text is checked: with a greeting, or with all of dialect-checks.ts in every dialect, and text completions.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { NO_OPTIONS } from '../../../money/prices/token-price.ts'
import type { TokenRate } from '../../../money/prices/token-rate.ts'
import type { EndpointChecks } from '../../../upstreams/diagnostics/endpoint-checks.ts'
import { json, listOf, type ServiceCheck } from '../../../upstreams/diagnostics/service-check.ts'
import { callText, startOf, textOf } from '../../../upstreams/diagnostics/text-call.ts'
import { textPart } from './certified.ts'

/** Most models are asked by chat, and some servers have no such path. */
const complete = (row: string, more: object): ServiceCheck => ({
  row,
  body: (model) => json({ model, prompt: '1 2 3', max_tokens: 16, ...more }),
  most: { input: 50, output: 50 },
  judge: (reply) => {
    const { text, message } = Object(listOf(reply, 'choices')[0])
    return typeof (text ?? Object(message).content) === 'string' ? undefined : 'the response has no text'
  },
  isOptional: true,
})

/** The lowest cap that all vendors accept. */
const MAX_OUTPUT = 16
/** Two words, and what vendors add to them. */
const MAX_INPUT = 200
const HELLO = [{ type: 'text', text: 'Say hello.' }] as const

export const checks = {
  services: { completions: [complete('text', {}), complete('suffix', { suffix: '4 5 6' })] },
  model: {
    cost: 'a few tokens',
    modes: ['unstreamed', 'streamed'],
    check: (send, upstream, dialect, model, mode) => {
      const asked = { parts: HELLO, maxOutput: MAX_OUTPUT, stream: mode === 'streamed' }
      return callText(send, upstream, dialect as TextDialectId, model, asked, (reply) => ({
        answer: startOf(textOf(reply)),
      }))
    },
    bound: (rate) =>
      (rate as TokenRate).bound({ input: MAX_INPUT, output: MAX_OUTPUT, options: NO_OPTIONS, hasAudio: false }),
  },
  certified: (upstream, model, dialects) =>
    dialects.flatMap((dialect) => textPart(upstream, dialect as TextDialectId, model)),
} satisfies EndpointChecks
