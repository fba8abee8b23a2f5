// An upstream that reports ten times what was held: the account pays what it has, the operator's books show the rest.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { formatUsd } from '../packages/gateway/src/money/amount.ts'
import type { Gateway } from '../test/support/gateway.ts'
import { checkAudit, compareWallet, dueFor, nanos, type Sent } from './books.ts'
import { ask, capIn } from './client.ts'
import { configOver, newWallet, rowsOf, startGateways, type Wallet } from './place.ts'
import { recordAll, startPlayer } from './player.ts'
import type { Findings, Scenario } from './scenario.ts'

const CREDIT = '0.005'
const PROMPT = 'say 20 words'
/** Output tokens that are held, and that are reported: the hold is within the credit, and this is ten times as much. */
const CAP = 1_000
const TOLD = 12_500

export const overshoot: Scenario = {
  name: 'overshoot',
  title: 'an upstream that reports ten times what was held',
  async run({ findings }) {
    const player = await startPlayer(await recordAll(PROMPT, tenfold), 0)
    const [gateway] = await startGateways('sqlite', 1, configOver(player.origin))
    if (!gateway) throw new Error('no gateway')
    let short = 0n
    try {
      for (const dialect of TEXT_DIALECT_IDS) {
        for (const streamed of [true, false]) short += await one(gateway, dialect, streamed, findings)
      }
      await checkAudit(gateway, findings, true)
      return `4 dialects, streamed and not: ${formatUsd(short)} USD of shortfall booked, no account below zero`
    } finally {
      await gateway.stop()
      player.stop()
    }
  },
}

/** The output figure of a usage, made what it is not. */
const tenfold = (piece: string): string =>
  piece.replace(/"(completion_tokens|output_tokens|candidatesTokenCount)":\s*\d+/g, `"$1":${TOLD}`)

/** Gives the shortfall. */
async function one(gateway: Gateway, dialect: TextDialectId, streamed: boolean, findings: Findings): Promise<bigint> {
  const what = `${dialect}, ${streamed ? 'streamed' : 'unstreamed'}`
  // A model of its own: what it learns is not mixed with what others did.
  const model = `${streamed ? 'over' : 'slow'}-${dialect}`
  const calling = { model, streamed, prompt: PROMPT, more: capIn(dialect, CAP) }
  const call = ({ secrets }: Wallet) => ask(dialect, gateway.url, secrets[0] ?? '', calling)
  const before = await heldOf(gateway, call)
  const sent: Sent = { wallet: await newWallet(gateway, CREDIT), seen: [] }
  const seen = await call(sent.wallet)
  sent.seen.push(seen)
  findings.must(seen.complete, `${what}: ${seen.status} ${seen.text.slice(0, 200)}`)
  const [row] = await compareWallet(gateway, sent, findings)
  const due = seen.usage ? dueFor(seen.usage) : 0n
  const [cost, shortfall, held] = [row?.cost_usd, row?.shortfall_usd, row?.held_usd].map((usd) => nanos(usd ?? '0'))
  findings.must(due >= 10n * (held ?? 0n), `${what}: reported for ${formatUsd(due)} only`)
  findings.must(cost === nanos(CREDIT), `${what}: ${row?.cost_usd} of ${CREDIT} taken`)
  findings.must(shortfall === due - nanos(CREDIT), `${what}: ${row?.shortfall_usd} booked as shortfall`)
  findings.must((await call(sent.wallet)).status === 402, `${what}: an empty account is served`)
  const after = await heldOf(gateway, call)
  findings.must(after > before, `${what}: ${formatUsd(before)} held, and ${formatUsd(after)} after a shortfall`)
  return shortfall ?? 0n
}

/** What is held for one call of a new account that has plenty. */
async function heldOf(gateway: Gateway, call: (wallet: Wallet) => Promise<unknown>): Promise<bigint> {
  const wallet = await newWallet(gateway, '100')
  await call(wallet)
  const [row] = await rowsOf(gateway, wallet)
  return nanos(row?.held_usd ?? '0')
}
