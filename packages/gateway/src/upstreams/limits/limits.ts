// The limits of all upstreams and routes, found by name: they outlive a configuration. The store divides them among processes.
import type { RequestLimits } from '../../config/types.ts'
import type { LimitKind, UpstreamLimits } from '../../storage/storage.ts'
import { type KeeperState, LimitShare } from './limit-share.ts'

export type Limits = {
  /** The shares of an upstream or a route, the same objects for the same name; undefined: it has no limits. */
  of(name: string, limits: RequestLimits | undefined): readonly LimitShare[] | undefined
  /** Those of `of`, without making any. */
  find(name: string): readonly LimitShare[]
  /** Begins to ask the store. Until then, no limit holds: commands outside of a server call nobody. */
  keep(keeper: Keeper): { tick(): void; stop(): Promise<void> }
}

export type Keeper = {
  store: Pick<UpstreamLimits, 'ask'>
  nodeId(): number
  now(): number
  /** There may be room again. */
  freed(): void
  failed(error: unknown): void
}

export const upstreamName = (id: string): string => `upstream ${id}`
export const routeName = (model: string, { upstream, model: there }: { upstream: string; model: string }): string =>
  `route ${model} ${upstream} ${there}`

/** Shares that are kept are asked for this often; a burst of requests asks at once. */
const ASK_EVERY_MS = 1_000

export function createLimits(): Limits {
  const shares = new Map<string, LimitShare[]>()
  const state: KeeperState = { isOn: false, missing() {} }

  function shareOf(name: string, kind: LimitKind, limit: number): LimitShare {
    const own = shares.get(name) ?? []
    shares.set(name, own)
    const known = own.find((each) => each.kind === kind)
    if (known) {
      known.limit = limit
      return known
    }
    const share = new LimitShare(name, kind, limit, state)
    own.push(share)
    return share
  }

  return {
    of(name, limits) {
      const entries = Object.entries(limits ?? {}) as [LimitKind, number][]
      return entries.length === 0 ? undefined : entries.map(([kind, limit]) => shareOf(name, kind, limit))
    },
    find: (name) => shares.get(name) ?? [],
    keep({ store, nodeId, now, freed, failed }) {
      let running: Promise<void> | undefined
      /** `all`: also those that only have to be kept. */
      let wanted: 'nothing' | 'missing' | 'all' = 'nothing'
      let isStopped = false
      let askedAt = Number.NEGATIVE_INFINITY

      async function ask(due: readonly LimitShare[]): Promise<void> {
        const questions = due.map((share) => share.question(now()))
        try {
          const answers = await store.ask(nodeId(), questions)
          for (const answer of answers)
            shares
              .get(answer.name)
              ?.find(({ kind }) => kind === answer.kind)
              ?.answered(answer, now())
        } catch (error) {
          failed(error)
        } finally {
          for (const share of due) share.unanswered()
          freed()
        }
      }

      async function run(): Promise<void> {
        while (wanted !== 'nothing' && !isStopped) {
          const isAll = wanted === 'all'
          wanted = 'nothing'
          const due = [...shares.values()].flat().filter((share) => (isAll ? share.isDue(now()) : share.isMissing))
          if (due.length > 0) await ask(due)
        }
      }

      function start(what: 'missing' | 'all'): void {
        if (wanted !== 'all') wanted = what
        if (isStopped || running) return
        // Once for all limits of a candidate that are looked at now.
        running = Promise.resolve()
          .then(run)
          .finally(() => {
            running = undefined
            if (wanted !== 'nothing') start(wanted)
          })
      }

      state.isOn = true
      state.missing = () => start('missing')
      return {
        tick: () => {
          if (shares.size === 0 || now() - askedAt < ASK_EVERY_MS) return
          askedAt = now()
          start('all')
        },
        async stop() {
          isStopped = true
          await running
        },
      }
    },
  }
}
