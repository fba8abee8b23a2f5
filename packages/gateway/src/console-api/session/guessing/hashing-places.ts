// The places in which passwords are hashed and compared: few, since each takes a CPU core and tens of megabytes for a while, and shared
// fairly, since anyone can ask for one. Known visitors (a browser that signed in before, a session) and all others have a queue each and
// are served in turn: guesses from however many networks do not keep an account holder out.
import { availableParallelism } from 'node:os'
import { type Bounds, type From, Rings } from './rings.ts'

/** `isKnown`: `network` is then the name of the account or the browser. */
export type Requester = From & { isKnown?: boolean }

export type HashingPlaces = {
  /**
   * undefined: `work` was not started, because the queue is full, because it was not its turn in time, or because the client
   * disconnected. It is then as if the request had never been made.
   */
  run<T>(requester: Requester, work: () => Promise<T>, client?: Client): Promise<{ value: T } | undefined>
}

type Client = { readonly isDisconnected: boolean }
type Entry = { from: Requester; client: Client | undefined; since: number; resolve(isServed: boolean): void }

const BOUNDS: Bounds = { most: 128, mostOfWide: 32, mostOfNetwork: 16 }
/** More than all entries of a full queue need at 100 to 200 ms each. */
const LONGEST_WAIT_MS = 30_000
const CHECK_EVERY_MS = 1_000

/** Half of the cores: requests need the others. Each place takes 64 MiB. */
const hashingPlacesOf = (cores: number): number => Math.min(4, Math.max(1, Math.floor(cores / 2)))

export type HashingOptions = {
  after(ms: number, run: () => void): () => void
  clock(): number
  places?: number
  bounds?: Bounds
}

export function createHashingPlaces({
  after,
  clock,
  places = hashingPlacesOf(availableParallelism()),
  bounds = BOUNDS,
}: HashingOptions): HashingPlaces {
  const known = new Rings<Entry>(bounds)
  const others = new Rings<Entry>(bounds)
  let running = 0
  let isOthersTurn = false
  let isChecking = false

  function serveNext(): void {
    while (running < places) {
      const order = isOthersTurn ? [others, known] : [known, others]
      const [ring, entry] = firstOf(order)
      if (entry === undefined) return
      isOthersTurn = ring === known
      if (entry.client?.isDisconnected) {
        entry.resolve(false)
        continue
      }
      running += 1
      entry.resolve(true)
    }
  }

  /** Entries that wait too long, or whose client has disconnected, are removed about once per second. */
  function checkLater(): void {
    if (isChecking || known.length + others.length === 0) return
    isChecking = true
    after(CHECK_EVERY_MS, () => {
      isChecking = false
      const since = clock() - LONGEST_WAIT_MS
      for (const ring of [known, others])
        for (const entry of ring.removeWhere((each) => each.since <= since || each.client?.isDisconnected === true))
          entry.resolve(false)
      checkLater()
    })
  }

  function turn(from: Requester, client: Client | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const ring = from.isKnown ? known : others
    ring.add({ from, client, since: clock(), resolve })?.resolve(false)
    serveNext()
    checkLater()
    return promise
  }

  return {
    async run(requester, work, client) {
      if (!(await turn(requester, client))) return undefined
      try {
        return { value: await work() }
      } finally {
        running -= 1
        serveNext()
      }
    },
  }
}

function firstOf(rings: readonly Rings<Entry>[]): [Rings<Entry> | undefined, Entry | undefined] {
  for (const ring of rings) {
    const entry = ring.take()
    if (entry) return [ring, entry]
  }
  return [undefined, undefined]
}
