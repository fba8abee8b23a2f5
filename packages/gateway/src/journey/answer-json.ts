// The unstreamed answer: read whole, metered, settled, then handed to the client.
import { readAtMost } from '../http/read.ts'
import { cutOff, failureOfAbort, failureOfUpstream, showWarnings } from './call.ts'
import { conclude, DRAIN_MS, type Exchange, endingOfBreak, endingOfFinish, NOTHING_SEEN } from './exchange.ts'
import { Failure } from './failure.ts'

const REPLY_BYTES = 64 * 1024 * 1024
/** Within less, nobody has left: the receipt says so without asking. */
const LOOK_AFTER_MS = 50

export async function answerJson(exchange: Exchange, reply: Response): Promise<Response> {
  const { watch, answerer, client } = exchange
  // Until the headers came, leaving cancelled the call; from here on the upstream works for money.
  client.onGone = () => watch.within(DRAIN_MS, 'client_gone')
  if (client.isGone) client.onGone()
  let bytes: Uint8Array | undefined
  try {
    bytes = await readAtMost(reply, REPLY_BYTES)
  } catch {
    await conclude(exchange, endingOfBreak(watch), NOTHING_SEEN)
    throw watch.reason ? failureOfAbort(watch.reason) : cutOff()
  }
  exchange.firstTokenAt = performance.now()
  if (exchange.firstTokenAt - exchange.startedAt > LOOK_AFTER_MS) client.look()
  if (!bytes) {
    await conclude(exchange, 'failed', NOTHING_SEEN)
    throw new Failure('upstream_failed', 'The upstream sent an answer that is too large.')
  }
  const read = answerer.readReply(bytes)
  if (!read.ok) {
    await conclude(exchange, 'failed', NOTHING_SEEN)
    throw failureOfUpstream(exchange, read.error)
  }
  const { usage, finish, outputBytes } = read
  const ending = client.isGone ? 'client_gone' : endingOfFinish(finish)
  exchange.headers.set('content-type', 'application/json')
  // Once more: what the answer lost is known only now.
  showWarnings(exchange)
  await conclude(exchange, ending, { usage, finish, outputBytes, sawOutput: true, body: read.body })
  return new Response(read.body, { headers: exchange.headers })
}
