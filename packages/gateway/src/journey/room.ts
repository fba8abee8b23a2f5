// Where every upstream of a model has as many calls as it may have, a request waits for one of them to end: in the order of
// coming, for about half a second, before any money is held. Retries do not wait: theirs is held already.
import { Line } from '../http/line.ts'
import type { Client } from '../http/request.ts'

export type Room = {
  /**
   * Whether others wait for this model: whoever comes now stands behind them. A model is its entry in the configuration, not its
   * id: whoever comes after a change may have room where those who came before it know of none.
   */
  isWaitedFor(model: unknown): boolean
  /** true: try again, there is room. false: not in time, too many wait already, or the client has left. */
  wait(model: unknown, waiter: Waiter): Promise<boolean>
  /** A call has ended somewhere. */
  freed(): void
  /** A few times a second: who has waited too long is sent home; who cooled may be asked again. */
  tick(now: number): void
  close(): void
}

export type Waiter = {
  /** Since when it has waited in all. */
  since: number
  client: Client
  /** Whether there is room now. */
  isThere(): boolean
}

const PATIENCE_MS = 500
/** For one model; their bodies are in memory, and weighed by the admission. */
const MOST_IN_LINE = 256

export function createRoom(): Room {
  const lines = new Map<unknown, Line<Waiter>>()
  let mostInLine = MOST_IN_LINE

  /** Of those who are first in their lines and have room, the one who came first. */
  function callOne(): boolean {
    let next: Line<Waiter> | undefined
    for (const line of lines.values()) {
      if ((line.firstSince ?? Number.POSITIVE_INFINITY) >= (next?.firstSince ?? Number.POSITIVE_INFINITY)) continue
      if (line.first?.isThere()) next = line
    }
    next?.callFirst()
    return next !== undefined
  }

  function expire(since: number): void {
    for (const line of lines.values()) line.expire(since)
  }

  return {
    isWaitedFor: (model) => lines.size > 0 && lines.has(model),
    async wait(model, waiter) {
      const line = lines.get(model) ?? new Line<Waiter>()
      if (waiter.client.isGone || line.length >= mostInLine) return false
      lines.set(model, line)
      const isTheirTurn = await new Promise<boolean>((called) => {
        line.join(waiter, waiter.since, waiter.client, called)
      })
      if (line.length === 0 && lines.get(model) === line) lines.delete(model)
      // Where a pause has ended there is room for more than one, and no end of a call would tell the others. Not before this one
      // has taken its place.
      if (isTheirTurn && lines.size > 0) setImmediate(callOne)
      return isTheirTurn
    },
    freed() {
      // Not at once: what ends a call gives back its places at the upstream and at the key one after the other, and a retry takes
      // its own again before anybody else may have it.
      if (lines.size > 0) queueMicrotask(callOne)
    },
    tick(now) {
      if (lines.size === 0) return
      expire(now - PATIENCE_MS)
      callOne()
    },
    close() {
      mostInLine = 0
      expire(Number.POSITIVE_INFINITY)
    },
  }
}
