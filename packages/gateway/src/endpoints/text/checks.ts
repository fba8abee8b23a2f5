// How an upstream's text completions are checked; dialect-checks.ts has the checks of chats.
import { json, listOf, type ServiceCheck, type ServiceChecks } from '../../upstreams/diagnostics/service-check.ts'

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

export const checks = {
  completions: [complete('text', {}), complete('suffix', { suffix: '4 5 6' })],
} satisfies ServiceChecks
