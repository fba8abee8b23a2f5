// The browser's own database (IndexedDB). Where there is none, as in some private windows, nothing outlasts the page.

import type { Entry, Kind } from './entry.ts'

type Stored = { account: string; kind: Kind; entry: Entry }

const DATABASE = 'trivium-playground'
const STORE = 'entries'
/** In characters of JSON. A longer entry stays on screen, but is not stored. */
const LONGEST = 20_000_000

let opened: Promise<IDBDatabase | undefined> | undefined

function open(): Promise<IDBDatabase | undefined> {
  opened ??= new Promise((resolve) => {
    try {
      const request = indexedDB.open(DATABASE, 1)
      request.onupgradeneeded = () =>
        request.result.createObjectStore(STORE, { keyPath: ['account', 'kind', 'entry.id'] })
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => resolve(undefined)
      request.onblocked = () => resolve(undefined)
    } catch {
      resolve(undefined)
    }
  })
  return opened
}

/** Newest first. */
export async function readEntries(account: string, kind: Kind): Promise<Entry[]> {
  const database = await open()
  if (!database) return []
  return new Promise((resolve) => {
    const range = IDBKeyRange.bound([account, kind], [account, kind, []])
    const request = database.transaction(STORE).objectStore(STORE).getAll(range)
    request.onsuccess = () =>
      resolve((request.result as Stored[]).map(({ entry }) => entry).sort((a, b) => b.at - a.at))
    request.onerror = () => resolve([])
  })
}

/** What cannot be stored, for lack of space, is not there after a reload. */
export async function writeEntries(
  account: string,
  kind: Kind,
  put: readonly Entry[],
  remove: readonly Entry[],
): Promise<void> {
  const database = await open()
  if (!database) return
  try {
    const store = database.transaction(STORE, 'readwrite').objectStore(STORE)
    for (const entry of put) if (JSON.stringify(entry).length <= LONGEST) store.put({ account, kind, entry })
    for (const { id } of remove) store.delete([account, kind, id])
  } catch {
    // The browser has closed the database.
  }
}
