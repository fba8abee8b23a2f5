// Nodes and their leases: which nodes may place holds, and whose holds are orphans.
import { type Book, DEAD_AFTER_MS } from './book.ts'
import { done, type Join, type Leave, type Renew, type Result, rejected, repeated } from './verbs.ts'

export function join(book: Book, verb: Join): Result {
  const node = book.node(verb.nodeId)
  const alive = node !== undefined && node.renewedAt > book.now - DEAD_AFTER_MS
  if (alive && !verb.takeover) return rejected('node_taken')
  const epoch = (node?.epoch ?? 0) + 1
  book.saveNode({ nodeId: verb.nodeId, epoch, renewedAt: book.now, config: verb.config })
  return done(BigInt(epoch))
}

/** A node that was dead, or has a successor, cannot renew: its holds may already be reaped, so it has to join again. */
export function renew(book: Book, verb: Renew): Result {
  const node = book.node(verb.nodeId)
  if (!node || !isAlive(book, verb)) return rejected('node_lost')
  book.saveNode({ ...node, renewedAt: book.now, config: verb.config })
  return done(0n)
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
