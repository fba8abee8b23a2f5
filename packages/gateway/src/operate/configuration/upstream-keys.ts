// The keys of a stored upstream: added, removed, and erased for good.
import type { Upstream } from '../../config/types.ts'
import { fields, optional, text } from '../../request/schema/schema.ts'
import { listUpstreamModels } from '../../upstreams/diagnostics/list-models.ts'
import { REASON } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { namesOf } from '../people/actor-names.ts'
import { rejected } from '../rejections.ts'
import { REMOVED_UPSTREAM_KEY, UPSTREAM_KEY } from '../resources/configuration.ts'
import { limitCalls } from '../upstreams/limit-calls.ts'
import { ownSend } from '../upstreams/test.ts'
import { changeConfiguration, findEntry, readState, type State } from './change.ts'
import { ENTRY_ID, storedValue } from './entries.ts'
import { isNamed, secretFingerprint } from './secrets.ts'
import { originOf, placeOf, type ShownSecret, shownEntries } from './show.ts'

const KEY = { upstream: ENTRY_ID, key: text({ max: 100 }) }
const NEW = { secret: text({ max: 4096 }), note: optional(text({ max: 200 })), reason: REASON }

export const listUpstreamKeys = operation({
  name: 'upstream key list',
  permission: 'see',
  route: {
    at: 'GET upstreams/{upstream}/keys',
    summary: 'Lists the keys of an upstream, without their secrets',
    output: UPSTREAM_KEY,
    list: true,
  },
  input: fields({ upstream: ENTRY_ID }),
  async run(context, { upstream }) {
    const state = await readState(context)
    const keys = await keysOf(context, state, upstream)
    const origin = originOf(state, 'upstream', upstream)
    const place = origin && origin.from !== 'stored' ? placeOf(origin) : null
    const items = keys.map((key) => ({ ...key, place }))
    return { items, next: null }
  },
})

export const addUpstreamKey = operation({
  name: 'upstream key add',
  permission: 'configuration',
  route: {
    at: 'POST upstreams/{upstream}/keys',
    summary: 'Adds a key to a stored upstream',
    output: UPSTREAM_KEY,
    status: 201,
    example: { body: { secret: 'another-key-of-the-vendor' } },
  },
  input: fields({ upstream: ENTRY_ID, ...NEW }),
  async run(context, { upstream, secret, note, reason }) {
    const action = { name: 'upstream key add', object: `upstream/${upstream}`, reason }
    const state = await changeConfiguration(context, action, (state) => ({
      ...withKeys(state, upstream, (keys) => [...keys, secret]),
      ...(note ? { note } : {}),
    }))
    return (await keysOf(context, state, upstream)).at(-1) ?? null
  },
})

/** In one revision, so that no request finds neither; the upstream is asked first whether it takes the new one, which costs nothing. */
export const replaceUpstreamKey = operation({
  name: 'upstream key replace',
  permission: 'configuration',
  route: {
    at: 'POST upstreams/{upstream}/keys/{key}/replace',
    summary: 'Puts a new key in the place of one; a key that the upstream rejects is not stored',
    output: UPSTREAM_KEY,
    example: { body: { secret: 'the-next-key-of-the-vendor' } },
  },
  input: fields({ ...KEY, ...NEW }),
  async run(context, { upstream, key, secret, note, reason }) {
    const known = context.config.upstreams.get(upstream)
    if (known) await checkAccepted(context, { ...known, keys: [secret] })
    const action = { name: 'upstream key replace', object: `upstream/${upstream}`, reason }
    let place = -1
    const state = await changeConfiguration(context, action, (state) => ({
      ...withKeys(state, upstream, (keys) => {
        place = keys.findIndex((each) => isKey(each, key))
        if (place === -1) throw rejected('unknown_upstream_key', { upstream, key })
        return keys.with(place, secret)
      }),
      ...(note ? { note } : {}),
    }))
    return (await keysOf(context, state, upstream))[place] ?? null
  },
})

/** Whatever else goes wrong says nothing about the key. */
async function checkAccepted({ actor, routing, clouds }: OperationContext, upstream: Upstream): Promise<void> {
  const listed = await limitCalls(actor, () => listUpstreamModels(routing?.send ?? ownSend(clouds), upstream))
  if ('problem' in listed && (listed.status === 401 || listed.status === 403))
    throw rejected('upstream_failed', { upstream: upstream.id, problem: listed.problem })
}

/** With who stored each, and what for: of keys that are not stored, nobody knows. */
async function keysOf(context: OperationContext, state: State, upstream: string) {
  const entry = shownEntries(context, 'upstream', state).find(({ id }) => id === upstream)
  if (!entry) throw rejected('unknown_entry', { entry: `upstream '${upstream}'`, hint: '' })
  const stored = findEntry(state.stored.entries, 'upstream', upstream)?.value as { keys?: unknown } | undefined
  const named = (Array.isArray(stored?.keys) ? stored.keys : []).filter(isNamed)
  const names = await namesOf(
    context.storage,
    named.flatMap(({ by }) => by ?? []),
  )
  const calls = await callsOf(context, state.loaded.config.upstreams.get(upstream))
  return (Array.isArray(entry.keys) ? (entry.keys as ShownSecret[]) : []).map((key, place) => {
    const { by = null, note = null } = named.find(({ $secret }) => $secret === key.id) ?? {}
    return { ...key, added_by: by, added_by_name: names.get(by ?? '') ?? null, note, ...(calls[place] ?? NO_CALLS) }
  })
}

const HOUR_MS = 3_600_000
const NO_CALLS = { requests: 0, failed: 0 }

/** What each key was used for, in the hours of the figures of upstreams: on all nodes, and here what is not stored yet. */
async function callsOf({ storage, routing, accountCipher }: OperationContext, upstream: Upstream | undefined) {
  if (!upstream) return []
  const stored = await storage.upstreams.keyCounts(storage.now() - 23 * HOUR_MS, upstream.id)
  const recent = (routing?.measures.recent().keys ?? []).filter((each) => each.upstream === upstream.id)
  const cipher = await accountCipher()
  return upstream.keys.map((secret) => {
    const own = [...stored, ...recent].filter(({ key }) => key === secretFingerprint(secret, cipher))
    const sum = (name: 'calls' | 'failed') => own.reduce((all, count) => all + count[name], 0)
    return { requests: sum('calls'), failed: sum('failed') }
  })
}

/** The secret stays sealed in the store, so that an earlier revision can be restored. */
export const removeUpstreamKey = operation({
  name: 'upstream key remove',
  permission: 'configuration',
  route: {
    at: 'DELETE upstreams/{upstream}/keys/{key}',
    summary: 'Removes a key of a stored upstream; a revision can bring it back',
    output: REMOVED_UPSTREAM_KEY,
  },
  input: fields({ ...KEY, reason: REASON }),
  async run(context, { upstream, key, reason }) {
    const action = { name: 'upstream key remove', object: `upstream/${upstream}`, reason }
    await changeConfiguration(context, action, (state) =>
      withKeys(state, upstream, (keys) => {
        const left = keys.filter((each) => !isKey(each, key))
        if (left.length === keys.length) throw rejected('unknown_upstream_key', { upstream, key })
        return left
      }),
    )
    return { id: key }
  },
})

/** Removes the key, if the upstream has it still, and empties its row: no revision with it can be restored. */
export const eraseUpstreamKey = operation({
  name: 'upstream key erase',
  permission: 'configuration',
  isDangerous: true,
  route: {
    at: 'POST upstreams/{upstream}/keys/{key}/erase',
    summary: 'Erases a key permanently: no revision with it can be restored',
    output: REMOVED_UPSTREAM_KEY,
  },
  input: fields({ ...KEY, reason: REASON }),
  async run(context, { upstream, key, reason }) {
    const action = { name: 'upstream key erase', object: `upstream/${upstream}`, reason }
    await changeConfiguration(context, action, (state) => {
      const secret = state.stored.secrets.find(({ id, owner }) => id === key && owner === `upstream/${upstream}`)
      if (!secret) throw rejected('unknown_upstream_key', { upstream, key })
      const entry = state.stored.entries.find(({ kind, id }) => kind === 'upstream' && id === upstream)
      const { keys = [] } = (entry?.value ?? {}) as { keys?: readonly unknown[] }
      const erased = secret.sealed ? [key] : []
      if (!keys.some((each) => isKey(each, key))) return { changes: [], erased }
      return { ...withKeys(state, upstream, (all) => all.filter((each) => !isKey(each, key))), erased }
    })
    return { id: key }
  },
})

const isKey = (value: unknown, key: string): boolean => isNamed(value) && value.$secret === key

function withKeys(state: State, upstream: string, change: (keys: readonly unknown[]) => unknown[]) {
  const value = storedValue(state, 'upstream', upstream)
  const keys = Array.isArray(value.keys) ? value.keys : []
  return { changes: [{ kind: 'upstream' as const, id: upstream, after: { ...value, keys: change(keys) } }] }
}
