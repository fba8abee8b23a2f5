// The cost of the dialects alone: microseconds per request and reply, passed through and translated, small and of an agent
// (76 KB). Figures are the best of many short rounds, since other programs share the machine:
// `bun bench/micro/dialects.ts [part of a name]`. In a gateway under load the same work takes two to three times as long: CPU
// caches are cold, and garbage collection is included.

import { parsedJson } from '@trivium/protocol/canonical/reading.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { PassThroughEdits } from '@trivium/protocol/dialects/pass-through.ts'
import { bufferCodec as codec } from '@trivium/protocol/fixtures/buffer-codec.ts'
import { testAnswering, testTarget } from '@trivium/protocol/fixtures/matrix.ts'
import { agentRequest, jsonReply, smallRequest } from '../harness/wire.ts'

const ROUNDS = 60
const DIALECTS: readonly TextDialectId[] = ['chat', 'responses', 'messages', 'generate-content']
const ADDRESSED = { model: 'bench', stream: false }
const wanted = process.argv[2] ?? ''

function measure(name: string, calls: number, work: () => unknown): void {
  if (!name.includes(wanted)) return
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = Bun.nanoseconds()
    for (let call = 0; call < calls; call++) work()
    best = Math.min(best, (Bun.nanoseconds() - start) / calls / 1000)
  }
  console.log(`${name.padEnd(52)} ${best.toFixed(2).padStart(8)} us`)
}

/** The same request in each dialect, as the encoders write it. */
function bodiesOf(chat: string): Record<TextDialectId, Uint8Array> {
  const canonical = TEXT_DIALECTS.chat.decodeRequest(JSON.parse(chat), undefined)
  const written = (id: TextDialectId): Uint8Array => {
    const target = { ...testTarget(), model: 'bench' }
    return codec.encode(JSON.stringify(TEXT_DIALECTS[id].encodeRequest(canonical, target).body))
  }
  return {
    chat: codec.encode(chat),
    responses: written('responses'),
    messages: written('messages'),
    'generate-content': written('generate-content'),
  }
}

function repliesOf(chat: string): Record<TextDialectId, Uint8Array> {
  const decoded = TEXT_DIALECTS.chat.decodeReply(JSON.parse(chat))
  if (!decoded.ok) throw new Error(decoded.error.message)
  const written = (id: TextDialectId) =>
    codec.encode(JSON.stringify(TEXT_DIALECTS[id].encodeReply(decoded.reply, testAnswering)))
  return {
    chat: codec.encode(chat),
    responses: written('responses'),
    messages: written('messages'),
    'generate-content': written('generate-content'),
  }
}

const sizes = [
  { size: 'small', bodies: bodiesOf(smallRequest('bench', false)), calls: 1_000 },
  { size: '76 KB', bodies: bodiesOf(agentRequest('bench', false)), calls: 20 },
] as const
const replies = repliesOf(jsonReply())

/** The edits that the journey makes: only chat and responses have the end user at the top level. */
const tagged: PassThroughEdits = { endUser: 'Zm9yIHRoZSBtaWNyby1iZW5jaG1hcmtz' }
const renamed: PassThroughEdits = { ...tagged, model: 'upstream-model' }

for (const { size, bodies, calls } of sizes) {
  for (const id of DIALECTS) {
    const { passThrough: passing } = TEXT_DIALECTS[id]
    const body = bodies[id]
    const parse = () => parsedJson(codec.decode(body, 0, body.length))
    measure(`parsed alone, ${size} ${id}`, calls, parse)
    measure(`readRequest, ${size} ${id}`, calls, () => passing.readRequest(body, codec, ADDRESSED))
    const request = passing.readRequest(body, codec, ADDRESSED)
    measure(`edited: end user, ${size} ${id}`, calls, () => request.edited(tagged))
    if (id !== 'generate-content')
      measure(`edited: end user and model, ${size} ${id}`, calls, () => request.edited(renamed))
    const parsed = parse()
    measure(`decodeRequest, ${size} ${id}`, calls, () => TEXT_DIALECTS[id].decodeRequest(parsed, ADDRESSED))
  }
}

for (const id of DIALECTS) {
  measure(`readReply, ${id}`, 1_000, () => TEXT_DIALECTS[id].passThrough.readReply(replies[id], codec, undefined))
  measure(`readReply, renamed, ${id}`, 1_000, () =>
    TEXT_DIALECTS[id].passThrough.readReply(replies[id], codec, 'other'),
  )
}

for (const { size, bodies, calls } of sizes) {
  for (const from of DIALECTS) {
    const canonical = TEXT_DIALECTS[from].decodeRequest(
      parsedJson(codec.decode(bodies[from], 0, bodies[from].length)),
      ADDRESSED,
    )
    for (const to of DIALECTS) {
      if (to === from) continue
      const write = () => TEXT_DIALECTS[to].encodeRequest(canonical, { ...testTarget(), model: 'bench' }).body
      measure(`encodeRequest, ${size} ${from} -> ${to}`, calls, write)
      const body = write()
      if (from === 'messages') measure(`JSON.stringify, ${size} ${to}`, calls, () => JSON.stringify(body))
    }
  }
}

for (const from of DIALECTS) {
  const parsed = parsedJson(codec.decode(replies[from], 0, replies[from].length))
  measure(`decodeReply, ${from}`, 1_000, () => TEXT_DIALECTS[from].decodeReply(parsed))
  const decoded = TEXT_DIALECTS[from].decodeReply(parsed)
  if (!decoded.ok) throw new Error(decoded.error.message)
  for (const to of DIALECTS)
    if (to !== from)
      measure(`encodeReply, ${from} -> ${to}`, 1_000, () => TEXT_DIALECTS[to].encodeReply(decoded.reply, testAnswering))
}
