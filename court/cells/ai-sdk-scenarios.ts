// What the AI SDK asks and must get, in every major and with every provider. The exhaustive tests run the same scenarios.

import { must, show } from '../cell.ts'
import type { Client, Request } from '../clients/ai-sdk.ts'

export const TOOLS = {
  tide_height: {
    description: 'Tells the height of the tide at a port',
    inputSchema: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
    execute: async () => ({ height: '5.1 m' }),
  },
}

/** The tool's result, which the answer must have used. */
export const RESULT = /5\.1 m/

export const CITY = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
}

/** Sends items instead of references to stored ones, which other cells try. */
export const UNSTORED = { openai: { store: false } }

export type Outcome = Awaited<ReturnType<Client['call']>>
export type Scenario = { name: string; request: Request; judge(outcome: Outcome): void }

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'plain text',
    request: { system: 'Be brief.', prompt: 'Say 7 words' },
    judge(outcome) {
      mustEndWell(outcome)
      const { inputTokens = 0, outputTokens = 0 } = outcome.usage
      must(inputTokens > 0 && outputTokens > 0, () => `the usage is ${show(outcome.usage)}`)
    },
  },
  {
    name: 'a tool loop with reasoning',
    request: { prompt: 'Think 5 words. Call tide_height with {"port":"Brest"}', tools: TOOLS },
    judge({ text, steps }) {
      const called = steps.map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ toolName, input })))
      const expected = JSON.stringify([[{ toolName: 'tide_height', input: { port: 'Brest' } }], []])
      must(JSON.stringify(called) === expected, () => `called ${show(called)}, not once tide_height of Brest`)
      must(RESULT.test(text), () => `the answer lacks the tool's result: ${show(text)}`)
    },
  },
  { name: 'reasoning', request: { prompt: 'Think 5 words. Say 7 words' }, judge: mustEndWell },
  {
    name: 'structured output',
    request: { prompt: 'Name a city.', schema: CITY },
    judge({ object }) {
      const { name, people } = (object ?? {}) as { name?: unknown; people?: unknown }
      must(typeof name === 'string' && typeof people === 'number', () => `the object is ${show(object)}`)
    },
  },
]

function mustEndWell({ text, finishReason }: Outcome): void {
  must(text.trim() !== '', () => 'there is no text')
  must(finishReason === 'stop', () => `the finish reason is ${finishReason}, not stop`)
}
