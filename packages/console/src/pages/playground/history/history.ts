// What was asked and answered: it outlives the page that asked, so that answers arrive while another page is open, and is kept in
// this browser alone, for each account by itself, and bounded.

import { useCallback, useSyncExternalStore } from 'react'
import { useSession } from '../../../app/session.tsx'
import { readEntries, writeEntries } from './database.ts'
import { type Entry, KINDS, type Kind } from './entry.ts'

export const newId = (): string => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`

type Shelf = { entries: readonly Entry[] | undefined; listeners: Set<() => void> }

const shelves = new Map<string, Shelf>()

function shelfOf(account: string, kind: Kind): Shelf {
  const name = `${account} ${kind}`
  const present = shelves.get(name)
  if (present) return present
  const shelf: Shelf = { entries: undefined, listeners: new Set() }
  shelves.set(name, shelf)
  void readEntries(account, kind).then((found) => {
    const known = new Set(shelf.entries?.map(({ id }) => id))
    change(shelf, [...(shelf.entries ?? []), ...found.filter(({ id }) => !known.has(id))])
  })
  return shelf
}

function change(shelf: Shelf, entries: readonly Entry[]): void {
  shelf.entries = entries
  for (const listener of shelf.listeners) listener()
}

/** `put` adds an entry, or replaces the one with its id. `store` false: only on screen, while an answer arrives. */
export type History<T extends Entry> = {
  /** Newest first; undefined while they are read. */
  entries: readonly T[] | undefined
  find(id: string): T | undefined
  put(entry: T, store?: boolean): void
  remove(ids: readonly string[]): void
}

export function useHistory<T extends Entry>(kind: Kind): History<T> {
  const { id: account } = useSession().account
  const shelf = shelfOf(account, kind)
  const subscribe = useCallback(
    (listener: () => void) => {
      shelf.listeners.add(listener)
      return () => void shelf.listeners.delete(listener)
    },
    [shelf],
  )
  const entries = useSyncExternalStore(subscribe, () => shelf.entries) as readonly T[] | undefined
  const find = useCallback((id: string) => shelf.entries?.find((each) => each.id === id) as T | undefined, [shelf])
  const put = useCallback(
    (entry: T, store = true) => {
      const former = shelf.entries ?? []
      const isKnown = former.some(({ id }) => id === entry.id)
      const all = isKnown ? former.map((each) => (each.id === entry.id ? entry : each)) : [entry, ...former]
      change(shelf, all.slice(0, KINDS[kind].most))
      if (store) void writeEntries(account, kind, [entry], all.slice(KINDS[kind].most))
    },
    [shelf, account, kind],
  )
  const remove = useCallback(
    (ids: readonly string[]) => {
      const former = shelf.entries ?? []
      change(
        shelf,
        former.filter(({ id }) => !ids.includes(id)),
      )
      void writeEntries(
        account,
        kind,
        [],
        former.filter(({ id }) => ids.includes(id)),
      )
    },
    [shelf, account, kind],
  )
  return { entries, find, put, remove }
}

/** Calls that run now, by the id of their entry, also while another page is open. */
const running = new Map<string, AbortController>()

export function begin(id: string): AbortSignal {
  const controller = new AbortController()
  running.set(id, controller)
  return controller.signal
}
export const end = (id: string): boolean => running.delete(id)
export const stop = (id: string): void => running.get(id)?.abort()
/** False for what a reload has interrupted. */
export const isRunning = (id: string): boolean => running.has(id)
