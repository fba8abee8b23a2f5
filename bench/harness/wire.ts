// What goes over the wire in every scenario: requests of the two sizes, replies and stream events, and the path that tells
// the fixed-answer upstream which of them to give.

/** How a stream is sent: `perWrite` events in one piece, a piece every `everyMs` (0: as fast as it is taken). */
export type StreamShape = { events: number; perWrite: number; everyMs: number }

/** The path tells the upstream what to send, because servers under test may change bodies and headers. */
export const jsonPath = '/json/v1'
export const streamPath = ({ events, perWrite, everyMs }: StreamShape) => `/stream/${events}/${perWrite}/${everyMs}/v1`
/** The same after a delay. */
export const slowPath = (ms: number) => `/slow/${ms}/v1`
/** One event, then the stream stays open. */
export const openPath = '/open/v1'
/** Vectors of so many inputs, each of so many numbers. */
export const vectorsPath = (inputs: number, dimensions: number) => `/vectors/${inputs}/${dimensions}/v1`
export const CHAT = '/chat/completions'

export function smallRequest(model: string, stream: boolean): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant that answers briefly.' },
      { role: 'user', content: 'Say hello in five languages, please, and name each of them.' },
    ],
    temperature: 0.7,
    ...(stream ? { stream } : { max_tokens: 4096 }),
  })
}

/** An agent's request: a long system prompt, 24 tools with schemas, several turns of tool use. 76 KB. */
export function agentRequest(model: string, stream: boolean): string {
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: prose(22_000) },
      { role: 'user', content: prose(400) },
      ...[1, 2, 3, 4].flatMap(toolTurn),
    ],
    tools: Array.from({ length: 24 }, (_, index) => tool(index)),
    tool_choice: 'auto',
    temperature: 0.2,
    ...(stream ? { stream } : { max_tokens: 4096 }),
  })
}

const WORDS = 'read the file before you edit it and never guess a path that the user has not named — ever'.split(' ')

/** Plain sentences; every line break and every quotation mark becomes an escape in JSON. */
function prose(length: number): string {
  let text = ''
  for (let seed = length; text.length < length; seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff) {
    const word = WORDS[(seed >> 8) % WORDS.length]
    text += (seed >> 14) % 50 === 0 ? `"${word}" ` : (seed >> 14) % 14 === 0 ? `${word}.\n` : `${word} `
  }
  return text
}

function tool(index: number) {
  const property = (number: number) => ({ type: number % 2 === 0 ? 'string' : 'number', description: prose(90) })
  const properties = Object.fromEntries([0, 1, 2, 3, 4].map((number) => [`property_${number}`, property(number)]))
  const parameters = { type: 'object', properties, required: ['property_0'], additionalProperties: false }
  return { type: 'function', function: { name: `tool_${index}`, description: prose(900), parameters } }
}

function toolTurn(index: number) {
  const call = { name: 'tool_3', arguments: JSON.stringify({ property_0: prose(150) }) }
  return [
    { role: 'assistant', content: null, tool_calls: [{ id: `call_${index}`, type: 'function', function: call }] },
    { role: 'tool', tool_call_id: `call_${index}`, content: prose(1_800) },
  ]
}

const USAGE = { prompt_tokens: 31, completion_tokens: 29, total_tokens: 60 }

export function jsonReply(): string {
  const message = { role: 'assistant', content: 'Hello (English), hola (Spanish), bonjour (French), hallo, ciao.' }
  return JSON.stringify({
    id: 'chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'bench',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: USAGE,
  })
}

function event(fields: object): string {
  const chunk = {
    id: 'chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0',
    object: 'chat.completion.chunk',
    created: 1_767_225_600,
    model: 'bench',
    service_tier: 'default',
    system_fingerprint: 'fp_de604bd877',
    ...fields,
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** Found in every event that carries text, and in no other. */
export const TEXT_EVENT = '"delta":{"content":" word'

/** About 300 bytes, as the large services send them. */
export function textEvent(index: number): string {
  const choice = { index: 0, delta: { content: ` word${index % 1000}` }, logprobs: null, finish_reason: null }
  return event({ choices: [choice], usage: null, obfuscation: 'qJ8x2LmZ'.slice(index % 8) })
}

export function lastEvents(): string {
  const finish = event({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }], usage: null })
  return `${finish}${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`
}

/** The small request as a client of the messages protocol would write it. */
export function messagesRequest(model: string, stream: boolean): string {
  return JSON.stringify({
    model,
    max_tokens: 4096,
    system: 'You are a helpful assistant that answers briefly.',
    messages: [{ role: 'user', content: 'Say hello in five languages, please, and name each of them.' }],
    temperature: 0.7,
    ...(stream ? { stream } : {}),
  })
}

/** Found once in an answer of the messages protocol, and once in each of its events that carries text. */
export const MESSAGES_ANSWER = 'Hello (English)'
export const MESSAGES_TEXT = '"text":" word'

/** Passages as a search index is filled with. */
export const embeddingRequest = (model: string, inputs: number): string =>
  JSON.stringify({ model, input: Array.from({ length: inputs }, (_, index) => prose(400 + (index % 7))) })

/** Numbers as vendors write them: floats of 32 bits in full. The vectors are alike, which no server under test notices. */
export function vectorsReply(inputs: number, dimensions: number): string {
  const embedding = Array.from({ length: dimensions }, (_, at) => Math.fround(Math.sin(at + 1) / 20))
  const data = Array.from({ length: inputs }, (_, index) => ({ object: 'embedding', index, embedding }))
  const usage = { prompt_tokens: 100 * inputs, total_tokens: 100 * inputs }
  return JSON.stringify({ object: 'list', data, model: 'bench', usage })
}
