// The random verbs of the differential contract.
import type { MemoryRows } from '../../../../tools/simulation/memory-book.ts'
import { HELD, REAPED, taskLease, taskOwner, type Verb } from '../../src/money/ledger.ts'
import { extend, hold, settle, voided, type Wallet } from './harness.ts'

/** Two of these make a node dead. */
export const STEP_MS = 5_000

/** Small, seeded and the same everywhere (mulberry32). */
export function randomness(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T
  return { below, pick }
}
export type Randomness = ReturnType<typeof randomness>

export function randomVerb({ below, pick }: Randomness, wallets: readonly Wallet[], rows: MemoryRows): Verb {
  const id = BigInt(1 + below(60))
  const nodeId = 1 + below(2)
  // Mostly the epoch in force, so that verbs take effect; at times one that is gone or never was.
  const epoch = (rows.nodes.get(nodeId)?.epoch ?? 1) + pick([0, 0, 0, 0, 0, -1, 1])
  const owner = pick([true, true, true, false]) ? rows.requests.get(id) : undefined
  const node = owner ? { nodeId: owner.nodeId, epoch: owner.epoch } : { nodeId, epoch }
  const amount = BigInt(below(300))
  const held = rows.requests.get(id)?.held ?? 0n
  const minimum = pick([0n, 1n, amount / 2n, amount])
  const tokens = pick([0, below(60), below(60), below(400)])
  const wallet = pick(wallets)
  const stolen = pick([...Array<undefined>(19), pick(wallets)])
  return pick<() => Verb>([
    ...Array<() => Verb>(6).fill(() => {
      const known = (rows.keys.get(wallet.key)?.revision ?? 0) - pick([...Array<number>(19).fill(0), 1])
      return hold(
        pick([id, BigInt(1_000 + rows.requests.size)]),
        { ...wallet, ...(stolen && { key: stolen.key }) },
        node,
        {
          amount,
          minimum,
          revision: Math.max(0, known),
          extensible: pick([true, false]),
          tokens,
          minimumTokens: pick([0, tokens >> 1, tokens]),
          model: `model-${amount % 3n}`,
        },
      )
    }),
    ...Array<() => Verb>(2).fill(() =>
      // Mostly what is held; at times less, as after a lost answer.
      extend(id, node, {
        known: pick([held, held, held / 2n]),
        amount,
        minimum,
        tokens,
        progress: BigInt(below(250)),
        ...pick([{}, {}, { whole: true as const, tokens: 0 }]),
      }),
    ),
    ...Array<() => Verb>(5).fill(() =>
      settle(id, node, BigInt(below(400)), {
        tokens: below(300),
        outcome: `outcome-${below(3)}`,
        ...(id % 3n === 0n && { upstream: 'other' }),
        ...(id % 2n === 0n && { upstreamCost: id }),
      }),
    ),
    // At times as a repetition does it, after which a settlement is the operator's loss.
    () => voided(id, node, id % 2n === 0n ? { outcome: 'reaped' } : {}),
    () => ({ verb: 'reap', limit: 1 + below(5) }),
    ...Array<() => Verb>(2).fill(() => ({
      verb: 'join',
      nodeId,
      config: `config-${below(3)}`,
      takeover: below(4) === 0,
    })),
    () => ({ verb: 'renew', nodeId, epoch, config: `config-${below(3)}` }),
    ...pick([[], [], [() => ({ verb: 'leave', nodeId, epoch }) as const]]),
  ])()
}

/** A few tasks at a time, with ids of their own; the lease of each changes hands between two holders. */
export function randomTaskVerb({ below, pick }: Randomness, wallet: Wallet, rows: MemoryRows, now: number): Verb {
  // Also those that a node has begun: their owner is the node then.
  const ended = [...rows.requests.values()].filter(({ id, state }) => id >= 500n && id < 1_000n && state !== HELD)
  const id = BigInt(500 + ended.length + below(3))
  const lease = taskLease(id)
  const epoch = (rows.leases.get(lease)?.epoch ?? 1) + pick([0, 0, 0, 0, -1, 1])
  const owner = pick([...Array(9).fill(taskOwner(id, epoch)), { nodeId: 1, epoch: 1 }])
  const ttlMs = pick([1 + below(4 * STEP_MS), 20 * STEP_MS])
  const amount = BigInt(1 + below(20))
  const revision = rows.keys.get(wallet.key)?.revision ?? 0
  const terms = { amount, minimum: pick([1n, amount]), revision, tokens: below(20) }
  return pick<() => Verb>([
    ...Array<() => Verb>(4).fill(() => ({ verb: 'acquire_lease', lease, holder: pick(['a', 'b']), ttlMs })),
    ...Array<() => Verb>(4).fill(() =>
      hold(id, wallet, taskOwner(id, epoch), {
        ...terms,
        deadline: now + pick([below(2), below(STEP_MS), 100 * STEP_MS]),
      }),
    ),
    () => ({ verb: 'renew_lease', lease, epoch, ttlMs }),
    () => ({ verb: 'release_lease', lease, epoch }),
    ...Array<() => Verb>(3).fill(() => ({ verb: 'reap', limit: 20 + below(3) })),
    () => extend(id, owner, { amount, minimum: 1n, progress: BigInt(below(90)) }),
    ...Array<() => Verb>(3).fill(() => ({
      verb: 'begin',
      id,
      nodeId: 1,
      epoch: rows.nodes.get(1)?.epoch ?? 1,
      lease: epoch,
    })),
    ...Array<() => Verb>(2).fill(() => settle(id, owner, BigInt(below(90)), { tokens: below(30) })),
    () => voided(id, owner),
  ])()
}

/** What follows a loss of commits. Requests with ids of their own, so that most are unknown. */
export function randomLossVerb({ below, pick }: Randomness, { account, key }: Wallet, rows: MemoryRows): Verb {
  const id = BigInt(300 + below(40))
  const nodeId = 1 + below(2)
  const { epoch = 1, renewals = 0 } = rows.nodes.get(nodeId) ?? {}
  const owner = rows.requests.get(id) ?? { nodeId, epoch }
  return pick<() => Verb>([
    () => ({ verb: 'restore', id, nodeId, epoch, account, key, model: 'm', upstream: 'u' }),
    () => settle(id, owner, BigInt(below(90)), { tokens: below(30) }),
    () => ({
      verb: 'renew',
      nodeId,
      epoch: epoch + pick([0, 0, 0, 1, -1]),
      config: '',
      witness: { renewals: renewals + pick([0, 0, -1, 1]), ended: pick([undefined, id]) },
    }),
  ])()
}

/** Repetitions of requests of `randomVerb`: some run, others never begin. */
export function randomRepetitionVerb({ below, pick }: Randomness, rows: MemoryRows): Verb {
  const { id = 1n } = pick([...rows.requests.values(), ...rows.repetitions.values()].map(toId)) ?? {}
  const reaped = [...rows.requests.values()].filter(({ state }) => state === REAPED)
  return pick<() => Verb>([
    ...Array<() => Verb>(3).fill(() => ({
      verb: 'take_over',
      id: pick([id, pick(reaped)?.id ?? id, pick(reaped)?.id ?? id]),
      by: pick([BigInt(1 + below(60)), BigInt(4_000 + below(60))]),
    })),
    () => ({ verb: 'collect', limit: 1 + below(3) }),
  ])()
}
const toId = (row: { id: bigint } | { request: bigint }) => ({ id: 'id' in row ? row.id : row.request })
