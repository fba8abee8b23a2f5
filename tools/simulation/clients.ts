// Random requests and tasks.
import type { Client, Model } from './model.ts'
import type { Random } from './random.ts'
import type { Task } from './tasks.ts'

export function newClient(id: bigint, random: Random, model: Model): Client {
  const key = random.pick([11n, 12n, 13n]) ?? 11n
  const streamed = random.chance(0.7)
  const outputs = Array.from({ length: streamed ? random.between(1, 6) : 0 }, () => BigInt(random.between(1, 40)))
  const sum = outputs.reduce((total, cost) => total + cost, 0n)
  const total = random.pick([undefined, sum, sum + BigInt(random.between(0, 30)), BigInt(random.between(0, 150))])
  const amount = BigInt(random.between(1, 100))
  const minimum = random.chance(0.5) ? 1n : amount
  const forgiven = random.chance(0.3)
  const fresh = { forgiven, delivered: 0n, dispatched: false, decided: undefined, released: false }
  // A gateway may not have heard yet that the key was changed.
  const revision = Math.max(0, (model.revisions.get(key) ?? 0) - (random.chance(0.1) ? 1 : 0))
  const tokens = random.below(100)
  const sizes = { tokens, minimumTokens: random.chance(0.5) ? 0 : tokens, usedTokens: random.below(150) }
  const wants = { revision, extensible: streamed && random.chance(0.5), amount, minimum, ...sizes }
  return { id, account: key === 13n ? 2n : 1n, key, ...wants, outputs, total, ...fresh }
}

export function newTask(
  id: bigint,
  random: Random,
  model: Model,
  { start, time }: { start: number; time: number },
): Task {
  const key = random.pick([11n, 12n, 13n]) ?? 11n
  const account = key === 13n ? 2n : 1n
  const terms = { key, account, revision: model.revisions.get(key) ?? 0, amount: BigInt(random.between(1, 60)) }
  const deadline = start + time + random.between(2_000, 90_000)
  const doneAt = time + random.below(20_000)
  const cost = random.chance(0.7) ? BigInt(random.between(0, 90)) : undefined
  return { id, ...terms, createdAt: start + time, deadline, doneAt, cost, over: false, confirmed: undefined }
}
