// A wallet that is charged at times that a test chooses.
import { firstIdAt } from '../../../src/money/request-ids.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { hold, type Node, newNode, newWallet, settle, type Use, type Wallet } from '../harness.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** A fixed time far ahead, at noon; the first of a month. */
export const START = Date.UTC(2041, 4, 1, 12)

export function spender(use: Use) {
  /** Ids are made of the time, as those of requests are. */
  let sequence = 0n
  const newId = () => firstIdAt(use().now()) + sequence++

  async function begin(balance = 100_000n) {
    const { storage, elapse, now } = use()
    await elapse(START - now())
    return { storage, wallet: await newWallet(storage, balance), node: await newNode(storage) }
  }
  async function request(storage: Storage, wallet: Wallet, node: Node, cost: bigint, model = 'model-x', tokens = 10) {
    const id = newId()
    const { epoch, nodeId } = await alive(storage, node)
    await storage.ledger.apply(hold(id, wallet, { nodeId, epoch }, { amount: cost, minimum: cost, model }))
    await storage.ledger.apply(settle(id, { nodeId, epoch }, cost, { tokens, outcome: cost === 0n ? 'free' : 'done' }))
    return id
  }
  /** After a pause of hours the node must join again. */
  async function alive(storage: Storage, node: Node): Promise<Node> {
    const renewed = await storage.ledger.apply({ verb: 'renew', ...node, config: 'test' })
    if (renewed.verdict === 'done') return node
    Object.assign(node, await newNode(storage, node.nodeId))
    return node
  }
  return { begin, request, alive, newId }
}
