// Clients that rebuild the model's turns from the fields that they know: of tool calls there are id, name and arguments, and nothing
// of any reasoning.
import { bytesOf } from '../../../packages/protocol/fixtures/buffer-codec.ts'
import { eventsOf } from '../../../packages/protocol/fixtures/matrix.ts'
import { type CallBlock, type CanonicalReply, fold } from '../../../packages/protocol/src/canonical/reply.ts'
import { TEXT_DIALECTS, type TextDialectId } from '../../../packages/protocol/src/dialects/index.ts'
import { headersIn, pathIn } from './dialect-calls.ts'

type Entry = Record<string, unknown>
export type Setting = { url: string; secret: string; model: string; streamed?: boolean; more?: Entry }
export type Answer = { status: number; text: string; calls: CallBlock[]; warnings: string }

const SCHEMA = { type: 'object', properties: { port: { type: 'string' }, unit: { type: 'string' } } }
const TOOL = { name: 'wind', description: 'Wind at a port' }

type Client = {
  first: Entry
  body(model: string, history: readonly Entry[]): Entry
  turn(calls: readonly CallBlock[]): Entry[]
  results(calls: readonly CallBlock[]): Entry[]
}

const RESULT = '19 knots'

export const CLIENTS: Record<TextDialectId, Client> = {
  chat: {
    first: { role: 'user', content: 'How much wind is there?' },
    body: (model, messages) => ({
      model,
      messages,
      reasoning_effort: 'low',
      tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }],
    }),
    turn: (calls) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: calls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name, arguments: text },
        })),
      },
    ],
    results: (calls) => calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT })),
  },
  responses: {
    first: { role: 'user', content: 'How much wind is there?' },
    body: (model, input) => ({
      model,
      input,
      store: false,
      reasoning: { summary: 'none' },
      tools: [{ type: 'function', ...TOOL, parameters: SCHEMA, strict: false }],
    }),
    turn: (calls) =>
      calls.map(({ id, name, arguments: text }) => ({ type: 'function_call', call_id: id, name, arguments: text })),
    results: (calls) => calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: RESULT })),
  },
  messages: {
    first: { role: 'user', content: 'How much wind is there?' },
    body: (model, messages) => ({
      model,
      messages,
      max_tokens: 4_000,
      tools: [{ ...TOOL, input_schema: SCHEMA }],
      thinking: { type: 'enabled', budget_tokens: 1_024, display: 'omitted' },
    }),
    turn: (calls) => [
      {
        role: 'assistant',
        content: calls.map(({ id, name, arguments: text }) => ({
          type: 'tool_use',
          id,
          name,
          input: JSON.parse(text),
        })),
      },
    ],
    results: (calls) => [
      { role: 'user', content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT })) },
    ],
  },
  'generate-content': {
    first: { role: 'user', parts: [{ text: 'How much wind is there?' }] },
    body: (_, contents) => ({
      contents,
      tools: [{ functionDeclarations: [{ ...TOOL, parametersJsonSchema: SCHEMA }] }],
      generationConfig: { thinkingConfig: { includeThoughts: false } },
    }),
    turn: (calls) => [
      {
        role: 'model',
        parts: calls.map(({ id, name, arguments: text }) => ({ functionCall: { id, name, args: JSON.parse(text) } })),
      },
    ],
    results: (calls) => [
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: RESULT } } })),
      },
    ],
  },
}

export async function ask(dialect: TextDialectId, setting: Setting, history: readonly Entry[]): Promise<Answer> {
  const { url, secret, model, streamed = false, more } = setting
  const inBody = streamed && dialect !== 'generate-content' ? { stream: true } : {}
  const response = await fetch(url + pathIn(dialect, { model, streamed }), {
    method: 'POST',
    headers: headersIn(dialect, secret),
    body: JSON.stringify({ ...CLIENTS[dialect].body(model, history), ...inBody, ...more }),
  })
  const text = await response.text()
  const { status } = response
  const warnings = response.headers.get('x-trivium-warnings') ?? ''
  if (status !== 200) return { status, text, calls: [], warnings }
  const blocks = replyIn(dialect, text, streamed).choices[0]?.blocks ?? []
  const said = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return { status, text: said, calls: blocks.filter((block) => block.type === 'call'), warnings }
}

function replyIn(dialect: TextDialectId, text: string, streamed: boolean): CanonicalReply {
  if (streamed) return fold(eventsOf(TEXT_DIALECTS[dialect], bytesOf(text)))
  const decoded = TEXT_DIALECTS[dialect].decodeReply(JSON.parse(text))
  if (!decoded.ok) throw new Error(decoded.error.message)
  return decoded.reply
}

export type Step = { setting?: Partial<Setting>; alter?: (calls: CallBlock) => CallBlock }

/** The answers, until one has no calls. `steps`: what is different from the second request on. */
export async function converse(
  dialect: TextDialectId,
  setting: Setting,
  steps: readonly Step[] = [],
): Promise<Answer[]> {
  const client = CLIENTS[dialect]
  const history = [client.first]
  const answers: Answer[] = []
  for (;;) {
    const step = steps[answers.length - 1]
    const answer = await ask(dialect, { ...setting, ...step?.setting }, history)
    answers.push(answer)
    if (answer.calls.length === 0) return answers
    const alter = steps[answers.length - 1]?.alter
    const calls = alter ? answer.calls.map(alter) : answer.calls
    history.push(...client.turn(calls), ...client.results(calls))
  }
}
