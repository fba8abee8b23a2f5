// An upstream that reports ten times the hold: the account is charged up to its balance and the cap of the key, and the
// rest is in the ledger as a shortfall.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { formatUsd } from '../../packages/gateway/src/money/amount.ts'
import type { Gateway } from '../../test/support/gateway/gateway.ts'
import { checkAudit, compareWallet, costOf, nanos, type WalletCalls } from '../check-ledger.ts'
import { call, capIn } from '../client.ts'
import { PROMPT, REQUESTED_TOKENS, startOverchargingUpstream } from '../overcharging-upstream.ts'
import type { Findings, Scenario } from '../scenario.ts'
import { configForSandbox, newWallet, rowsOf, startGateways, type Wallet } from '../setup.ts'

/** The most that can be charged. */
const MOST = '0.005'
const PLENTY = '100'

type Bound = { name: string; credit: string; key: Record<string, string> }
const BOUNDS: readonly Bound[] = [
  { name: 'wallet', credit: MOST, key: {} },
  { name: 'cap', credit: PLENTY, key: { cap: MOST } },
  { name: 'cap by the day', credit: PLENTY, key: { cap: MOST, 'cap-period': 'day' } },
]

export const overshoot: Scenario = {
  name: 'overshoot',
  title: 'an upstream that reports ten times what was held',
  async run({ findings }) {
    const overcharging = await startOverchargingUpstream()
    let short = 0n
    try {
      for (const bound of BOUNDS) short += await under(bound, overcharging.origin, findings)
      return `4 dialects, streamed and not, ${BOUNDS.map(({ name }) => name).join(', ')}: ${formatUsd(short)} USD of shortfall, no account charged beyond its limit`
    } finally {
      overcharging.stop()
    }
  },
}

/** Uses a new gateway, which has learned nothing from other cases. Returns the shortfall. */
async function under(bound: Bound, origin: string, findings: Findings): Promise<bigint> {
  const [gateway] = await startGateways('sqlite', 1, configForSandbox(origin))
  if (!gateway) throw new Error('no gateway')
  let short = 0n
  try {
    for (const dialect of TEXT_DIALECT_IDS) {
      for (const streamed of [true, false]) short += await one(gateway, bound, { dialect, streamed }, findings)
    }
    await checkAudit(gateway, findings, true)
    return short
  } finally {
    await gateway.stop()
  }
}

type How = { dialect: TextDialectId; streamed: boolean }

/** Returns the shortfall. */
async function one(gateway: Gateway, bound: Bound, { dialect, streamed }: How, findings: Findings): Promise<bigint> {
  const what = `${bound.name}, ${dialect}, ${streamed ? 'streamed' : 'unstreamed'}`
  // Each case has its own model, for the same reason.
  const model = `${streamed ? 'over' : 'slow'}-${dialect}`
  const calling = { model, streamed, prompt: PROMPT, more: capIn(dialect, REQUESTED_TOKENS) }
  const callFrom = ({ secrets }: Wallet) => call(dialect, gateway.url, secrets[0] ?? '', calling)
  const before = await heldOf(gateway, callFrom)
  const sent: WalletCalls = { wallet: await newWallet(gateway, bound.credit, 1, bound.key), seen: [] }
  const seen = await callFrom(sent.wallet)
  sent.seen.push(seen)
  findings.must(seen.complete, `${what}: ${seen.status} ${seen.text.slice(0, 200)}`)
  const [row] = await compareWallet(gateway, sent, findings)
  const due = seen.usage ? costOf(seen.usage) : 0n
  const [cost, shortfall, held] = [row?.cost_usd, row?.shortfall_usd, row?.held_usd].map((usd) => nanos(usd ?? '0'))
  findings.must(due >= 10n * (held ?? 0n), `${what}: reported for ${formatUsd(due)} only`)
  findings.must(cost === nanos(MOST), `${what}: ${row?.cost_usd} of ${MOST} taken`)
  findings.must(shortfall === due - nanos(MOST), `${what}: ${row?.shortfall_usd} booked as shortfall`)
  findings.must((await callFrom(sent.wallet)).status === 402, `${what}: served although all is spent`)
  const after = await heldOf(gateway, callFrom)
  findings.must(after > before, `${what}: ${formatUsd(before)} held, and ${formatUsd(after)} after a shortfall`)
  return shortfall ?? 0n
}

/** The hold of one call of a new account with a large balance. */
async function heldOf(gateway: Gateway, call: (wallet: Wallet) => Promise<unknown>): Promise<bigint> {
  const wallet = await newWallet(gateway, PLENTY)
  await call(wallet)
  const [row] = await rowsOf(gateway, wallet)
  return nanos(row?.held_usd ?? '0')
}
