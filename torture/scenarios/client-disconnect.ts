// Clients disconnect at every byte of a response, streamed and not: charged as docs/operate/billing.md says, no hold remains,
// and the upstream call is cancelled or read to its end.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { Row } from '../../test/support/gateway/accounts.ts'
import type { Gateway } from '../../test/support/gateway/gateway.ts'
import { checkAudit, costOf, nanos } from '../check-ledger.ts'
import { readAnswer, type Tokens, textOf } from '../client.ts'
import { type Disconnected, readAndDisconnect } from '../disconnecting-client.ts'
import { callMark, type ReplayedCall, type ReplayUpstream, recordAll, startReplayUpstream } from '../replay-upstream.ts'
import type { Scenario, Torture } from '../scenario.ts'
import { accountOf, configForSandbox, newWallet, rowsOf, startGateways, type Wallet } from '../setup.ts'
import { SIZES } from '../sizes.ts'

const PROMPT = 'say 6 words'
const PACE_MS = 15
const AT_ONCE = 10
const KINDS_AT_ONCE = 4
/** The gateway waits five seconds for usage, then cancels within a second; the sample allows more for a busy machine. */
const CANCELLED_WITHIN_MS = { small: 15_000, full: 6_000 }
/** How many streams of each kind never end, so that each takes these five seconds. */
const MOST_ENDLESS = 20

type Kind = { client: TextDialectId; upstream: TextDialectId; streamed: boolean; tried: number }
type Place = { gateway: Gateway; player: ReplayUpstream }

export const clientDisconnect: Scenario = {
  name: 'abort',
  title: 'clients disconnect at every byte of a response',
  async run(torture) {
    const player = await startReplayUpstream(await recordAll(PROMPT), PACE_MS)
    const [gateway] = await startGateways('sqlite', 1, configForSandbox(player.origin))
    if (!gateway) throw new Error('no gateway')
    const seen = new Map<string, number>()
    try {
      const kinds = kindsOf(torture)
      const work = async () => {
        for (let kind = kinds.shift(); kind; kind = kinds.shift()) {
          await leaveEverywhere({ gateway, player }, kind, torture, seen)
        }
      }
      await Promise.all(Array.from({ length: KINDS_AT_ONCE }, work))
      await checkAudit(gateway, torture.findings, true)
      const outcomes = [...seen].map(([outcome, times]) => `${times} ${outcome}`)
      return `disconnected ${[...seen.values()].reduce((sum, times) => sum + times, 0)} times: ${outcomes.join(', ')}`
    } finally {
      await gateway.stop()
      player.stop()
    }
  },
}

/** Each dialect on both sides, and each translated from another one. */
function kindsOf({ size, rounds }: Torture): Kind[] {
  const tried = rounds ?? SIZES[size].disconnects
  return TEXT_DIALECT_IDS.flatMap((client, index) => {
    const other = TEXT_DIALECT_IDS[(index + 1) % TEXT_DIALECT_IDS.length] ?? client
    const pairs = [
      { upstream: client, tried },
      { upstream: other, tried: Math.min(tried, SIZES[size].translatedDisconnects) },
    ]
    return pairs.flatMap((pair) => [true, false].map((streamed) => ({ client, streamed, ...pair })))
  })
}

async function leaveEverywhere(place: Place, kind: Kind, torture: Torture, seen: Map<string, number>): Promise<void> {
  const whole = await leaveAt(place, kind, Number.POSITIVE_INFINITY, false)
  const { usage } = readAnswer(kind.client, kind.streamed, bodyOf(whole.left.received))
  const full = (kind.streamed ? usage : unchunkedUsage(kind, whole.left.received)) ?? { input: 0, output: 0 }
  const offsets = spread(whole.left.bytes, kind.tried)
  torture.say(
    `  ${kind.client} from ${kind.upstream}, ${kind.streamed ? 'streamed' : 'in one piece'}: ${offsets.length} offsets of ${whole.left.bytes} bytes`,
  )
  const endless = kind.streamed && kind.client === kind.upstream ? spread(whole.left.bytes / 2, MOST_ENDLESS) : []
  const work = async () => {
    for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift()) {
      // Disconnected in the first half of a stream that never ends, so that no usage arrives.
      const stays = endless.includes(offset)
      const outcome = await leaveAt(place, kind, offset, stays)
      const word = judge(kind, offset, outcome, full, torture)
      seen.set(word, (seen.get(word) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

function spread(bytes: number, tried: number): number[] {
  if (tried > bytes) return Array.from({ length: bytes + 1 }, (_, offset) => offset)
  return Array.from({ length: tried }, (_, index) => Math.round((index * bytes) / (tried - 1)))
}

const bodyOf = (received: string): string => received.slice(received.indexOf('\r\n\r\n') + 4)
const unchunkedUsage = ({ client }: Kind, received: string) => readAnswer(client, false, bodyOf(received)).usage

type Outcome = { left: Disconnected; row: Row | undefined; played: ReplayedCall | undefined; held: string }

let calls = 0

async function leaveAt({ gateway, player }: Place, kind: Kind, offset: number, stays: boolean): Promise<Outcome> {
  // An account for each, since after five free disconnects of an account the gateway reads responses to their end.
  const wallet = await newWallet(gateway, '1')
  const mark = `call-${++calls}`
  const more = kind.client === 'chat' && kind.streamed ? { stream_options: { include_usage: true } } : {}
  const calling = {
    model: `over-${kind.upstream}`,
    streamed: kind.streamed,
    prompt: `${PROMPT} ${callMark(mark, stays)}`,
    more,
  }
  const called = () => eventually(() => player.calls.has(mark))
  const asked = { dialect: kind.client, secret: wallet.secrets[0] ?? '', calling, offset }
  const left = await readAndDisconnect(gateway.url, asked, called)
  const row = await settledRow(gateway, wallet)
  const played = player.calls.get(mark)
  await eventually(() => played === undefined || played.sentAll || played.closedAt !== undefined)
  return { left, row, played, held: (await accountOf(gateway, wallet)).held_usd }
}

async function settledRow(gateway: Gateway, wallet: Wallet): Promise<Row | undefined> {
  let row: Row | undefined
  await eventually(async () => {
    ;[row] = await rowsOf(gateway, wallet)
    return row !== undefined && row.outcome !== 'running'
  })
  return row
}

/** Names the outcome, and adds violations to the findings. */
function judge(
  kind: Kind,
  offset: number,
  { left, row, played, held }: Outcome,
  full: Tokens,
  torture: Torture,
): string {
  const { findings, size } = torture
  const what = `${kind.client} from ${kind.upstream}, ${kind.streamed ? 'streamed' : 'in one piece'}, left at ${offset}`
  const must = (holds: boolean, finding: string) => findings.must(holds, `${what}: ${finding}: ${JSON.stringify(row)}`)
  const cost = nanos(row?.cost_usd ?? '0')
  const due = costOf(full)
  const { input = 0, output = 0 } = row?.receipt?.units ?? {}
  must(row?.outcome === 'completed' || row?.outcome === 'client_disconnected', 'unexpected outcome')
  must(nanos(held) === 0n, `${held} still held`)
  must(cost === costOf({ input, output }), 'the cost is not that of its units')
  const gone = played?.closedAt === undefined ? 0 : played.closedAt - left.leftAt
  must(
    played?.sentAll === true || gone <= CANCELLED_WITHIN_MS[size],
    `the upstream call was cancelled after ${gone.toFixed(0)} ms`,
  )
  if (cost === 0n) {
    must(left.bytes === 0, 'free, although something was delivered')
    return 'free'
  }
  const complete = kind.streamed && readAnswer(kind.client, true, left.received).complete
  if (!kind.streamed || complete || row?.outcome === 'completed') {
    must(cost === due, `${due} nano-USD were reported`)
    return row?.outcome === 'completed' ? 'completed' : 'fetched to the end'
  }
  if (row?.receipt?.counted === undefined) {
    must(cost === due, `${due} nano-USD were reported`)
    return 'charged as reported'
  }
  // Four bytes per token, as the sandbox counts: at least what arrived, at most the whole response.
  const arrived = Math.ceil(Buffer.byteLength(textOf(kind.client, left.received)) / 4)
  must(output >= arrived && output <= full.output, `${arrived} to ${full.output} tokens were delivered`)
  return 'counted'
}
