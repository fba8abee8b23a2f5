// Streams as they are on the wire: which event may follow which, and when it comes.
import { callIn } from '../../test/support/requests/dialect-calls.ts'
import { textOf } from '../../torture/client.ts'
import { type Cell, DIALECTS, type Dialect, ENDPOINTS, must, show, type Trial } from '../cell.ts'

type Event = Record<string, unknown>

const PROMPTS: readonly (readonly [name: string, prompt: string])[] = [
  ['text', 'Say 20 words'],
  ['reasoning and text', 'Think 10 words. Say 10 words'],
  ['two calls of tools', 'Call tide_height with {"port":"Brest"} and call tide_height with {"port":"Cork"}'],
]

const SCHEMA = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] }
const TIDE = { name: 'tide_height', description: 'Tells the height of the tide at a port' }
const TOOLS: Readonly<Record<Dialect, object>> = {
  chat: {
    tools: [{ type: 'function', function: { ...TIDE, parameters: SCHEMA } }],
    stream_options: { include_usage: true },
  },
  responses: { tools: [{ type: 'function', ...TIDE, parameters: SCHEMA, strict: false }] },
  messages: { tools: [{ ...TIDE, input_schema: SCHEMA }] },
  'generate-content': { tools: [{ functionDeclarations: [{ ...TIDE, parameters: SCHEMA }] }] },
}

const RULES: Readonly<Record<Dialect, (events: readonly Event[], text: string) => void>> = {
  chat(events, text) {
    must(text.trimEnd().endsWith('data: [DONE]'), () => `the end is not [DONE]: ${show(text.slice(-200))}`)
    const choices = events.map((event) => (event.choices as { delta?: Event; finish_reason?: unknown }[])?.[0])
    const finishes = choices.flatMap((choice, at) => (choice?.finish_reason ? [at] : []))
    must(finishes.length === 1, () => `${finishes.length} events have a finish reason`)
    const later = choices.slice((finishes[0] ?? 0) + 1)
    const says = ({ content, tool_calls: calls }: Event = {}) => Boolean(content) || calls !== undefined
    must(!later.some((choice) => says(choice?.delta)), () => 'output comes after the finish reason')
    const told = events.flatMap(({ usage }, at) => (usage ? [at] : []))
    must(told.at(-1) === events.length - 1, () => 'the usage is missing, or not in the last event')
    const ids = new Set(events.map(({ id }) => id))
    must(ids.size === 1, () => `the events have ${ids.size} ids`)
  },
  responses(events) {
    const types = events.map(({ type }) => String(type))
    must(types[0] === 'response.created', () => `the first event is ${types[0]}`)
    must(types.at(-1) === 'response.completed', () => `the last event is ${types.at(-1)}`)
    const numbers = events.map((event) => Number(event.sequence_number))
    const rises = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))
    must(rises, () => `the sequence numbers do not rise: ${show(numbers)}`)
    const open = new Set<unknown>()
    for (const { type, output_index: index } of events) {
      if (type === 'response.output_item.added') open.add(index)
      else if (type === 'response.output_item.done') must(open.delete(index), () => `item ${index} ends, never added`)
      else if (/\.delta$/.test(String(type))) must(open.has(index), () => `${type} of item ${index}, which is not open`)
    }
    must(open.size === 0, () => `${open.size} items never end`)
  },
  messages(events) {
    const types = events.map(({ type }) => String(type)).filter((type) => type !== 'ping')
    must(types[0] === 'message_start', () => `the first event is ${types[0]}`)
    must(types.at(-1) === 'message_stop', () => `the last event is ${types.at(-1)}`)
    must(types.at(-2) === 'message_delta', () => `before the last comes ${types.at(-2)}, not message_delta`)
    let open: unknown
    let next = 0
    for (const { type, index } of events) {
      if (type === 'content_block_start') {
        must(open === undefined, () => `block ${index} begins inside of block ${open}`)
        must(index === next++, () => `block ${index} begins, and ${next - 1} is due`)
        open = index
      } else if (type === 'content_block_delta') must(index === open, () => `a delta of block ${index}, not open`)
      else if (type === 'content_block_stop') {
        must(index === open, () => `block ${index} ends, and ${open} is open`)
        open = undefined
      } else if (type === 'message_delta') must(open === undefined, () => `block ${open} never ends`)
    }
  },
  'generate-content'(events) {
    const finishes = events.flatMap((event, at) =>
      (event.candidates as Event[] | undefined)?.[0]?.finishReason ? [at] : [],
    )
    must(finishes.at(-1) === events.length - 1, () => 'the last event has no finishReason')
    must(events.at(-1)?.usageMetadata !== undefined, () => 'the last event has no usageMetadata')
  },
}

async function stream(dialect: Dialect, { origin, key, model, mark, signal }: Trial, prompt: string) {
  const calling = { model, prompt: `${prompt} (${mark}).`, streamed: true, more: { ...TOOLS[dialect] }, signal }
  const response = await callIn(dialect, origin, key, calling)
  const type = response.headers.get('content-type') ?? ''
  if (response.status !== 200) must(false, () => `status ${response.status}`)
  must(type.startsWith('text/event-stream'), () => `the type is ${type}`)
  const arrivals: { at: number; text: string }[] = []
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? [])
    arrivals.push({ at: performance.now(), text: decoder.decode(bytes, { stream: true }) })
  const text = arrivals
    .map((each) => each.text)
    .join('')
    .replace(/\r\n?/g, '\n')
  return { text, arrivals }
}

export const eventsIn = (text: string): Event[] =>
  text
    .split('\n')
    .flatMap((line) =>
      /^data: ?[{[]/.test(line) && !line.includes('[DONE]') ? [JSON.parse(line.slice(5)) as Event] : [],
    )

const common = (dialect: Dialect) => ({
  area: 'streaming' as const,
  dialect,
  client: 'HTTP',
  endpoint: dialect === 'generate-content' ? ENDPOINTS[dialect].replace(':g', ':streamG') : ENDPOINTS[dialect],
  model: 'text' as const,
})

const PACE_MS = 60
const WORDS = 20

export const STREAMING: readonly Cell[] = DIALECTS.flatMap((dialect) => [
  ...PROMPTS.map(
    ([name, prompt]): Cell => ({
      ...common(dialect),
      name: `the order of events: ${name}`,
      async run(trial) {
        const { text } = await stream(dialect, trial, prompt)
        RULES[dialect](eventsIn(text), text)
      },
    }),
  ),
  {
    ...common(dialect),
    name: 'events are passed on as they come',
    needsVendor: true,
    async run(trial) {
      const { text, arrivals } = await stream(dialect, trial, `say ${WORDS} words, pace ${PACE_MS} ms`)
      must(textOf(dialect, text) !== '', () => 'there is no text')
      const first = arrivals.find((arrival) => textOf(dialect, arrival.text) !== '') ?? arrivals[0]
      const took = (arrivals.at(-1)?.at ?? 0) - (first?.at ?? 0)
      must(took > (WORDS * PACE_MS) / 3, () => `all of the text came within ${Math.round(took)} ms: it was held back`)
    },
  },
])
