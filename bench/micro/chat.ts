// The cost of chat pass-through alone: microseconds per scanned request and per stream event.
// Figures are the best of many short rounds, since other programs share the machine: `bun bench/micro/chat.ts`.

import { readChatReply } from '@trivium/protocol/dialects/chat/pass-through/reply.ts'
import { editChatRequest, readChatRequest } from '@trivium/protocol/dialects/chat/pass-through/request.ts'
import { openChatMeter } from '@trivium/protocol/dialects/chat/pass-through/stream.ts'
import { bufferCodec as codec } from '@trivium/protocol/fixtures/buffer-codec.ts'
import { scanObject } from '@trivium/protocol/framing/json/json-scan.ts'

const ROUNDS = 150

function measure(name: string, unitsPerCall: number, calls: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = Bun.nanoseconds()
    for (let call = 0; call < calls; call++) work()
    best = Math.min(best, (Bun.nanoseconds() - start) / calls / unitsPerCall / 1000)
  }
  console.log(`${name.padEnd(52)} ${best.toFixed(2).padStart(8)} us`)
  return best
}

/** An agent's request: a long system prompt, 24 tools with schemas, several turns of tool use. 76 KB. */
function agentRequest(): string {
  let seed = 7
  const below = (limit: number) => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    return seed % limit
  }
  const words = 'read the file before you edit it and never guess a path that the user has not named'.split(' ')
  const prose = (length: number): string => {
    let text = ''
    while (text.length < length) text += `${words[below(words.length)]}${below(14) === 0 ? '.\n' : ' '}`
    return text
  }
  const property = (index: number) => ({ type: index % 2 === 0 ? 'string' : 'number', description: prose(90) })
  const tool = (index: number) => ({
    type: 'function',
    function: {
      name: `tool_${index}`,
      description: prose(900),
      parameters: {
        type: 'object',
        properties: Object.fromEntries([0, 1, 2, 3, 4].map((number) => [`property_${number}`, property(number)])),
        required: ['property_0', 'property_1'],
        additionalProperties: false,
      },
    },
  })
  const turn = (index: number) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${index}`,
          type: 'function',
          function: { name: 'tool_3', arguments: `{"property_0":"${prose(150).trim()}"}` },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${index}`, content: `"result":\n${prose(1800)}` },
  ]
  return JSON.stringify({
    model: 'gpt-x',
    messages: [
      { role: 'system', content: prose(19_000) },
      { role: 'user', content: prose(400) },
      ...[1, 2, 3, 4].flatMap(turn),
    ],
    tools: Array.from({ length: 24 }, (_, index) => tool(index)),
    tool_choice: 'auto',
    stream: true,
    temperature: 0.2,
    max_tokens: 4096,
  })
}

const large = codec.encode(agentRequest())
const small = codec.encode(
  '{"model":"gpt-x","messages":[{"role":"user","content":"Say hello in five languages, please."}],"temperature":0.7,"max_tokens":200}',
)
console.log(`request of ${large.length} bytes, ${small.length} bytes`)
const parsed = measure('JSON.parse, large request', 1, 100, () => JSON.parse(codec.decode(large, 0, large.length)))
const scanned = measure('scanObject, large request', 1, 100, () => scanObject(large, codec))
measure('readChatRequest, large request', 1, 100, () => readChatRequest(large, codec))
console.log(`scan / parse: ${(scanned / parsed).toFixed(2)}`)
measure('readChatRequest, small request', 1, 2000, () => readChatRequest(small, codec))
for (const [name, body] of [
  ['large', large],
  ['small', small],
] as const) {
  const facts = readChatRequest(body, codec)
  const edits = { model: 'upstream-model', includeUsage: true, maxOutput: 100 } as const
  measure(`editChatRequest, ${name} request`, 1, 200, () => editChatRequest(body, facts, edits, codec))
}

const reply = codec.encode(
  '{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello, hola, bonjour, hallo, ciao."},"finish_reason":"stop"}],"usage":{"prompt_tokens":14,"completion_tokens":12,"total_tokens":26}}',
)
measure('readChatReply, small reply', 1, 2000, () => readChatReply(reply, codec))

const head =
  'data: {"id":"chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0","object":"chat.completion.chunk","created":1770933892,"model":"gpt-4.1-nano-2025-04-14","service_tier":"default","system_fingerprint":"fp_de604bd877","choices":[{"index":0,"delta":'
const event = (delta: string, index: number) =>
  `${head}${delta},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"${'qJ8x2LmZ'.slice(index % 8)}"}\n\n`
const EVENTS = 200
const events = Array.from({ length: EVENTS }, (_, index) => codec.encode(event(`{"content":" word${index}"}`, index)))
const read = codec.encode(events.map((bytes) => codec.decode(bytes, 0, bytes.length)).join(''))

const warmed = (renameTo?: string) => {
  const options = { showUsage: false, maxEventBytes: 1024 * 1024, ...(renameTo === undefined ? {} : { renameTo }) }
  const meter = openChatMeter(options, codec)
  meter.push(read)
  return meter
}
const many = warmed()
measure('event, 200 in a read', EVENTS, 20, () => many.push(read))
const renaming = warmed('gpt-x')
measure('event, 200 in a read, renamed', EVENTS, 20, () => renaming.push(read))
const single = warmed()
measure('event, one in a read', EVENTS, 20, () => {
  for (const bytes of events) single.push(bytes)
})
const halves = events.flatMap((bytes) => [bytes.subarray(0, 150), bytes.subarray(150)])
const split = warmed()
measure('event, cut into two reads', EVENTS, 20, () => {
  for (const bytes of halves) split.push(bytes)
})
measure('event, parsed instead (for comparison)', EVENTS, 20, () => {
  for (const bytes of events) JSON.parse(codec.decode(bytes, 6, bytes.length - 2))
})
