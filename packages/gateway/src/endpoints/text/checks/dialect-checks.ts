// The checks of a text model, which each dialect of an upstream goes through.
import type { CallBlock, CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { Part } from '@trivium/protocol/canonical/request.ts'
import type { UpstreamEndpoint } from '../../../config/types.ts'
import type { Capability } from '../../../modalities/modality.ts'
import type { Problem } from '../../../upstreams/diagnostics/service-check.ts'
import { type Asked, startOf, textOf } from '../../../upstreams/diagnostics/text-call.ts'

export type TextCheck = {
  /** What the reply must show, by the names of the rows. */
  rows: Readonly<Record<string, (reply: CanonicalReply) => Problem>>
  asked: Asked
  /** The most tokens of input, and what vendors add to them. */
  input: number
  /** A hosted tool that the vendor bills by the call, and the most calls: a model without a price for it is not called. */
  billed?: { tool: string; calls: number }
  /** A model without it is not called. */
  needs?: Capability
  /** Not every server or model has it: a rejection is no failure. */
  isOptional?: true
  /** The gateway knows that servers of this kind fail here, and what to do about it. */
  isKnown?(endpoint: UpstreamEndpoint): boolean
}

/** Room for a short answer after some reasoning. */
const ROOM = 1_024
/** The lowest cap that all vendors accept. */
const LEAST_ROOM = 16
const FEW_TOKENS = 200
const SOME_TOKENS = 600

const say = (text: string): Part[] => [{ type: 'text', text }]
const HELLO = { parts: say('Say hello.'), maxOutput: ROOM }
export const LONG = { parts: say('Write 300 words about the sea.'), maxOutput: LEAST_ROOM }

const WEATHER = {
  name: 'get_weather',
  description: 'Returns the weather of a city.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
}
const TOOLS = {
  parts: say('Use the tool get_weather to find out about the weather in Paris.'),
  tools: [WEATHER],
  maxOutput: ROOM,
}
const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
}
/** A red square of 64 pixels. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsItw/dMZxQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywLQTQDx3uY1cQAAAABJRU5ErkJggg=='
const IMAGE: Part = { type: 'media', media: 'image', source: { kind: 'inline', mime: 'image/png', data: RED } }

export const TEXT_CHECKS: readonly TextCheck[] = [
  { rows: { text: hasText, stop: endsBy('end'), usage: reportsUsage }, asked: HELLO, input: FEW_TOKENS },
  {
    rows: { 'text streamed': hasText, 'stop streamed': endsBy('end'), 'usage streamed': reportsUsage },
    asked: { ...HELLO, stream: true },
    input: FEW_TOKENS,
  },
  { rows: { length: endsBy('length') }, asked: LONG, input: FEW_TOKENS, isKnown: completesAtCap },
  {
    rows: { 'length streamed': endsBy('length') },
    asked: { ...LONG, stream: true },
    input: FEW_TOKENS,
    isKnown: completesAtCap,
  },
  { rows: { tools: callsTool }, asked: TOOLS, input: SOME_TOKENS, needs: 'tools', isOptional: true },
  {
    rows: { 'tools streamed': callsTool },
    asked: { ...TOOLS, stream: true },
    input: SOME_TOKENS,
    needs: 'tools',
    isOptional: true,
  },
  {
    rows: { 'forced tool': callsTool },
    asked: { ...TOOLS, parts: say('Hello. I am in Paris.'), toolChoice: { mode: 'tool', name: WEATHER.name } },
    input: SOME_TOKENS,
    needs: 'tools',
    isOptional: true,
    isKnown: ({ ignores = [] }) => ignores.includes('forced_tools') || ignores.includes('named_tool'),
  },
  {
    rows: { 'JSON schema': fitsSchema },
    asked: {
      parts: say('Name the city of Paris and its population, as JSON.'),
      format: { type: 'schema', schema: CITY, name: 'city', strict: true },
      maxOutput: ROOM,
    },
    input: SOME_TOKENS,
    isOptional: true,
    isKnown: ({ ignores = [] }) => ignores.includes('json_schema'),
  },
  {
    rows: { 'image in': namesColour },
    asked: { parts: [...say('Which colour is this image? Answer with one word.'), IMAGE], maxOutput: ROOM },
    input: 2_000,
    needs: 'images',
    isOptional: true,
  },
  {
    rows: { reasoning: reasons },
    asked: {
      parts: say('Think: how many days have three weeks?'),
      reasoning: { mode: 'on', effort: 'low', show: 'summary' },
      // Some vendors reject budgets of less than 1,024 tokens for reasoning alone.
      maxOutput: 4 * ROOM,
    },
    input: FEW_TOKENS,
    needs: 'reasoning',
    isOptional: true,
  },
  {
    rows: { 'web search': searches },
    asked: {
      parts: say('Search the web once: what is the latest stable version of PostgreSQL?'),
      hostedTools: [{ name: 'web_search', at: 'tools[0]', search: { maxUses: 1 } }],
      maxOutput: 4 * ROOM,
    },
    // Vendors bill the pages that were found as input, and some take no limit on searches.
    input: 50_000,
    billed: { tool: 'web_search', calls: 8 },
    isOptional: true,
  },
]

function hasText(reply: CanonicalReply): Problem {
  return textOf(reply).trim() === '' ? `there is no text in the response${ending(reply)}` : undefined
}

function endsBy(reason: 'end' | 'length') {
  return (reply: CanonicalReply): Problem =>
    reply.choices[0]?.stop?.reason === reason ? undefined : `the response does not end as it should${ending(reply)}`
}

function ending({ choices }: CanonicalReply): string {
  const raw = choices[0]?.stop?.raw
  return raw === undefined ? ', and does not say why it ended' : `; it ended with '${raw}'`
}

function reportsUsage({ usage }: CanonicalReply): Problem {
  if (usage?.absurd) return 'the reported usage is impossible'
  const isThere = (usage?.input ?? 0) > 0 && (usage?.output ?? 0) > 0
  return isThere ? undefined : 'the response does not report both input and output tokens'
}

function completesAtCap({ completesAtCap }: UpstreamEndpoint): boolean {
  return completesAtCap === true
}

function callsTool(reply: CanonicalReply): Problem {
  const calls = (reply.choices[0]?.blocks ?? []).filter((block): block is CallBlock => block.type === 'call')
  const [call] = calls
  if (!call) return `the model did not call the tool${ending(reply)}`
  if (call.name !== WEATHER.name) return `the model called '${startOf(call.name)}', which does not exist`
  const { city } = objectIn(call.arguments) ?? {}
  if (typeof city !== 'string') return `the arguments do not fit the schema: ${startOf(call.arguments)}`
  const { stop } = reply.choices[0] ?? {}
  return stop?.reason === 'tool' ? undefined : `the response does not end with a tool call${ending(reply)}`
}

function searches({ choices, usage }: CanonicalReply): Problem {
  const isShown = (choices[0]?.blocks ?? []).some(({ type }) => type === 'search')
  return isShown || (usage?.toolCalls?.web_search ?? 0) > 0
    ? undefined
    : 'the response shows no web search, and its usage counts none'
}

function fitsSchema(reply: CanonicalReply): Problem {
  const text = textOf(reply)
  const { city, population, ...others } = objectIn(text) ?? {}
  const fits = typeof city === 'string' && Number.isInteger(population) && Object.keys(others).length === 0
  return fits ? undefined : `the text does not fit the schema: ${startOf(text)}${ending(reply)}`
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** A server that ignores the image answers, too. */
function namesColour(reply: CanonicalReply): Problem {
  return /\bred\b/i.test(textOf(reply)) ? undefined : `the answer does not tell the colour: ${startOf(textOf(reply))}`
}

function reasons({ choices, usage }: CanonicalReply): Problem {
  const blocks = choices[0]?.blocks ?? []
  const isThere = blocks.some(({ type }) => type === 'reasoning' || type === 'redacted') || (usage?.reasoning ?? 0) > 0
  return isThere ? undefined : { absent: 'there is no reasoning in the response, and none in its usage' }
}
