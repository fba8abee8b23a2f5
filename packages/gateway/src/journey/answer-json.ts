// The unstreamed answer: read whole, metered, settled, then handed to the client.
import type { PassingReply } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Answer } from '../http/answer.ts'
import { readAtMost } from '../upstreams/read.ts'
import type { Reply } from '../upstreams/reply.ts'
import { onward } from './attempts.ts'
import { call, missOfBreak, missOfError, missOfOther, showWarnings } from './call.ts'
import { conclude, DRAIN_MS, type Exchange, endingOfFinish, letRequestGo } from './exchange.ts'
import type { Miss } from './misses.ts'

const REPLY_BYTES = 32 * 1024 * 1024

export async function answerJson(exchange: Exchange, first: Promise<Reply>): Promise<Answer> {
  const { watch, client } = exchange
  for (let calling = first; ; ) {
    const reply = await calling
    // Until the headers came, leaving cancelled the call; from here on the upstream works for money.
    client.onGone = () => watch.within(DRAIN_MS, 'client_gone')
    if (client.isGone) client.onGone()
    const reading = readWhole(exchange, reply)
    // Not awaited when it is there, as most answers are: a turn of the loop costs more than reading one.
    const read = reading instanceof Promise ? await reading : reading
    if ('failure' in read) {
      calling = call(exchange, await onward(exchange, read))
      continue
    }
    letRequestGo(exchange)
    const { usage, finish, outputBytes } = read
    const ending = client.isGone ? 'client_gone' : endingOfFinish(finish)
    exchange.headers.set('content-type', 'application/json')
    // Once more: what the answer lost is known only now.
    showWarnings(exchange)
    await conclude(exchange, ending, { usage, finish, outputBytes, sawOutput: true, body: read.body })
    return { status: 200, headers: exchange.headers, body: read.body }
  }
}

type Whole = Extract<PassingReply, { ok: true }>

function readWhole(exchange: Exchange, reply: Reply): Whole | Miss | Promise<Whole | Miss> {
  let reading: ReturnType<typeof readAtMost>
  try {
    reading = readAtMost(reply, REPLY_BYTES, () => exchange.watch.byteArrived())
  } catch {
    return missOfBreak(exchange)
  }
  if (!(reading instanceof Promise)) return readBody(exchange, reading)
  return reading.then(
    (bytes) => readBody(exchange, bytes),
    () => missOfBreak(exchange),
  )
}

/** `bytes`: undefined where there were too many. */
function readBody(exchange: Exchange, bytes: Uint8Array | undefined): Whole | Miss {
  exchange.firstTokenAt = performance.now()
  if (!bytes) return missOfOther('The upstream sent an answer that is too large.')
  const read = exchange.answerer.readReply(withoutMark(bytes))
  return read.ok ? read : missOfError(exchange, read.error)
}

/** Some services begin JSON with a byte order mark, which is none of it. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
