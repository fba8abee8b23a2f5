// The keys of a stored upstream: added, removed, and erased for good.
import { fields, text } from '../../request/schema/schema.ts'
import { REASON } from '../inputs/schemas.ts'
import { operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { REMOVED_UPSTREAM_KEY, UPSTREAM_KEY } from '../resources/configuration.ts'
import { changeConfiguration, readState, type State } from './change.ts'
import { ENTRY_ID, storedValue } from './entries.ts'
import { isNamed } from './secrets.ts'
import { originOf, placeOf, type ShownSecret, shownEntries } from './show.ts'

const KEY = { upstream: ENTRY_ID, key: text({ max: 100 }) }

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
    const entry = shownEntries(context, 'upstream', state).find(({ id }) => id === upstream)
    if (!entry) throw rejected('unknown_entry', { entry: `upstream '${upstream}'`, hint: '' })
    const keys = Array.isArray(entry.keys) ? (entry.keys as ShownSecret[]) : []
    const origin = originOf(state, 'upstream', upstream)
    const place = origin && origin.from !== 'stored' ? placeOf(origin) : null
    return { items: keys.map((key) => ({ ...key, place })), next: null }
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
  input: fields({ upstream: ENTRY_ID, secret: text({ max: 4096 }), reason: REASON }),
  async run(context, { upstream, secret, reason }) {
    const action = { name: 'upstream key add', object: `upstream/${upstream}`, reason }
    const state = await changeConfiguration(context, action, (state) =>
      withKeys(state, upstream, (keys) => [...keys, secret]),
    )
    const entry = shownEntries(context, 'upstream', state).find(({ id }) => id === upstream)
    return (entry?.keys as ShownSecret[] | undefined)?.at(-1) ?? null
  },
})

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
