// Nodes and their leases: which nodes may place holds, and whose holds are orphans.
import { type Book, DEAD_AFTER_MS, HELD } from './book.ts'
import { done, type Join, type Leave, type Renew, type Result, rejected, repeated } from './verbs.ts'

export function join(book: Book, verb: Join): Result {
  const node = book.node(verb.nodeId)
  const alive = node !== undefined && node.renewedAt > book.now - DEAD_AFTER_MS
  if (alive && !verb.takeover) return rejected('node_taken')
  const epoch = (node?.epoch ?? 0) + 1
  book.saveNode({ nodeId: verb.nodeId, epoch, renewedAt: book.now, renewals: 0, config: verb.config })
  return done(BigInt(epoch))
}

/** A node that was dead, or has a successor, cannot renew: its holds may already be reaped, so it has to join again. */
export function renew(book: Book, verb: Renew): Result {
  const node = book.node(verb.nodeId)
  if (hasLostCommits(book, verb)) return rejected('commits_lost')
  if (!node || !isAlive(book, verb)) return rejected('node_lost')
  const renewals = node.renewals + 1
  book.saveNode({ ...node, renewedAt: book.now, renewals, config: verb.config })
  return done(BigInt(renewals))
}

/**
 * A standby that took over may lack the last commits. They are lost in the order of the commits: so the last of which this node knows is
 * enough to look for.
 */
function hasLostCommits(book: Book, { nodeId, epoch, witness }: Renew): boolean {
  if (!witness) return false
  const node = book.node(nodeId)
  if (!node || node.epoch < epoch) return true
  if (node.epoch === epoch && node.renewals < witness.renewals) return true
  return witness.ended !== undefined && (book.request(witness.ended)?.state ?? HELD) === HELD
}

export function leave(book: Book, verb: Leave): Result {
  const node = book.node(verb.nodeId)
  if (node?.epoch !== verb.epoch) return repeated(0n)
  book.saveNode({ ...node, renewedAt: 0 })
  return done(0n)
}

export function isAlive(book: Book, owner: { nodeId: number; epoch: number }): boolean {
  const node = book.node(owner.nodeId)
  return node?.epoch === owner.epoch && node.renewedAt > book.now - DEAD_AFTER_MS
}
