// Tells the clients that follow responses when there is something new: at once what this process stores, and what other processes store
// by one look at the store for all clients together.
import type { Storage } from '../storage/storage.ts'
import { TASK_TIMING } from '../tasks/timing.ts'

/** What a client has of a response: the task as of a version, and all pieces before this one. */
export type Followed = { id: bigint; version: number; piece: { account: bigint; id: string } }

export type ResponseNews = {
  /** Resolves when that piece is stored, or the task has changed; also soon after the client has disconnected. */
  next(followed: Followed, isDisconnected: () => boolean): Promise<true>
  /** This process has stored a piece of it, or has ended it. */
  tell(id: bigint): void
}

type Wait = Followed & { isDisconnected(): boolean; wake(): void }

/**
 * What runs here is looked for at every fifth look only: it is told, except what is stored between a client's own look and its call of
 * `next`, and a change by another process.
 */
const LOCAL_EVERY = 5

export function createResponseNews(
  { tasks, responses }: { tasks: Pick<Storage['tasks'], 'versions'>; responses: Pick<Storage['responses'], 'stored'> },
  isRunningHere: (id: bigint) => boolean,
): ResponseNews {
  const waits = new Set<Wait>()
  let looks = 0
  let timer: Timer | undefined

  function wake(wait: Wait): void {
    waits.delete(wait)
    wait.wake()
  }

  async function look(): Promise<void> {
    looks += 1
    for (const wait of waits) if (wait.isDisconnected()) wake(wait)
    const asked = [...waits].filter(({ id }) => looks % LOCAL_EVERY === 0 || !isRunningHere(id))
    if (asked.length === 0) return
    const [versions, stored] = await Promise.all([
      tasks.versions([...new Set(asked.map(({ id }) => id))]),
      responses.stored(asked.map(({ piece }) => piece)),
    ])
    for (const wait of asked) if (versions.get(wait.id) !== wait.version || stored.has(wait.piece.id)) wake(wait)
  }

  /** The next look begins when this one has ended: a slow store is not asked more often than it answers. */
  function lookLater(): void {
    timer = setTimeout(async () => {
      // A store that does not answer has nothing new: clients get heartbeats meanwhile.
      await look().catch(() => {})
      timer = undefined
      if (waits.size > 0) lookLater()
    }, TASK_TIMING.followMs)
  }

  return {
    next: (followed, isDisconnected) =>
      new Promise((resolve) => {
        waits.add({ ...followed, isDisconnected, wake: () => resolve(true) })
        if (!timer) lookLater()
      }),
    tell(id) {
      for (const wait of waits) if (wait.id === id) wake(wait)
    },
  }
}
