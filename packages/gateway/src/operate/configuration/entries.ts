// Upstreams, models and groups: list, show, create, change, delete. One set of operations for each noun.

import type { TObject } from 'typebox'
import { ALL_MODELS, DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { PLACE_FIELDS } from '../../config/upstream-kinds.ts'
import { fields, optional, text, unknown } from '../../request/schema/schema.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { type Range, readPage } from '../inputs/page.ts'
import { LIMIT, REASON } from '../inputs/schemas.ts'
import { need, type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { effectsOfStopping } from '../upstreams/effects.ts'
import { changeConfiguration, findEntry, type Plan, readState, type State } from './change.ts'
import { NOUNS, type NounKind } from './entry-nouns.ts'
import { mergePatch } from './merge-patch.ts'
import { secretsIn } from './secrets.ts'
import { originOf, placeOf, rejectNames, type Shown, shownEntries } from './show.ts'

export const ENTRY_ID = text({ max: 300 })

const PAGE = { after: optional(ENTRY_ID), before: optional(ENTRY_ID), limit: optional(LIMIT) }

/** In the order of ids, so that what comes after a page has higher ones. */
export const pagesOf =
  <Row extends { id: string }>(all: readonly Row[]) =>
  async ({ before: last, after: first }: Range<string>, limit: number) =>
    first === undefined
      ? all.filter(({ id }) => last === undefined || id > last).slice(0, limit)
      : all.filter(({ id }) => id < first).slice(-limit)

type Written = Readonly<Record<string, unknown>>

/** Their routes, but for the paths, which follow from the noun. `article`: as in `Stores a model`. */
type EntryRoutes = { article: string; output: TObject; created: object; changed: object }

export function entryOperations<const Kind extends NounKind>(
  kind: Kind,
  { article, output, created, changed }: EntryRoutes,
) {
  const { fields: names, priceFields, section } = NOUNS[kind]
  const one = `${section}/{${kind}}`
  const written = Object.fromEntries(names.map((name) => [name, optional(unknown())]))
  const named = { [kind]: ENTRY_ID }
  const idIn = (input: Written): string => String(input[kind])
  const show = async (context: OperationContext, id: string, state?: State) => {
    const entry = shownEntries(context, kind, state ?? (await readState(context))).find((each) => each.id === id)
    if (!entry) throw unknownEntry(kind, id, state ?? (await readState(context)))
    return entry
  }

  return {
    list: operation({
      name: `${kind} list`,
      permission: 'see',
      route: { at: `GET ${section}`, summary: `Lists ${section} of every source`, output, list: true },
      input: fields(PAGE),
      /** By id. */
      async run(context, page) {
        const all = shownEntries(context, kind, await readState(context))
        return await readPage<Shown, string>(
          page,
          pagesOf(all),
          ({ id }) => id,
          (id) => id,
        )
      },
    }),
    show: operation({
      name: `${kind} show`,
      permission: 'see',
      route: { at: `GET ${one}`, summary: `Shows ${article} ${kind}`, output },
      input: fields(named),
      run: (context, input) => show(context, idIn(input)),
    }),
    create: operation({
      name: `${kind} create`,
      permission: 'configuration',
      route: {
        at: `POST ${section}`,
        summary: `Stores ${article} ${kind}`,
        output,
        status: 201,
        example: { body: created },
      },
      input: fields({ id: ENTRY_ID, ...written, reason: REASON }),
      async run(context, input) {
        const { id, reason, ...value } = input as { id: string; reason?: string } & Written
        rejectNames(value)
        const action = { name: `${kind} create`, object: `${kind}/${id}`, reason }
        const state = await changeConfiguration(context, action, (state) => {
          const origin = originOf(state, kind, id)
          if (origin && origin.from !== 'stored' && origin.from !== 'built-in') throw readOnly(kind, id, state)
          if (findEntry(state.stored.entries, kind, id))
            throw rejected('entry_exists', { field: 'id', entry: `${kind} '${id}'` })
          const created = { kind, id, after: mergePatch({}, value) }
          return { changes: kind === 'group' ? withDefaultGroup(id, created, state) : [created] }
        })
        return show(context, id, state)
      },
    }),
    change: operation({
      name: `${kind} change`,
      // Finance may change prices alone.
      permission: priceFields.length > 0 ? 'money' : 'configuration',
      route: {
        at: `PATCH ${one}`,
        summary: `Changes a stored ${kind}${NOUNS[kind].pricesAlone}`,
        output,
        example: { body: changed },
      },
      input: fields({ ...named, ...written, reason: REASON }),
      async run(context, { [kind]: _, reason, ...patch }) {
        const id = idIn({ [kind]: _ })
        if (!Object.keys(patch).every((name) => priceFields.includes(name))) need(context.actor, 'configuration')
        rejectNames(patch)
        const action = { name: `${kind} change`, object: `${kind}/${id}`, reason: reason as string | undefined }
        const state = await changeConfiguration(context, action, (state) => {
          const before = storedValue(state, kind, id)
          const after = mergePatch(before, patch)
          if (kind === 'upstream') checkKeys(before, after, patch)
          return { changes: [{ kind, id, after }] }
        })
        return show(context, id, state)
      },
    }),
    delete: operation({
      name: `${kind} delete`,
      permission: 'configuration',
      ...(kind === 'upstream' ? { isDangerous: true as const } : {}),
      route: { at: `DELETE ${one}`, summary: `Deletes a stored ${kind}`, output },
      input: fields({ ...named, reason: REASON }),
      async run(context, input) {
        const id = idIn(input)
        const shown = await show(context, id)
        const action = { name: `${kind} delete`, object: `${kind}/${id}`, reason: input.reason as string | undefined }
        const upstream = kind === 'upstream' ? context.config.upstreams.get(id) : undefined
        const effects = upstream ? await effectsOfStopping(context, upstream) : {}
        await changeConfiguration(context, action, (state): Plan => {
          // What is shadowed by the file can be deleted, too.
          if (!findEntry(state.stored.entries, kind, id)) throw missing(kind, id, state)
          return { changes: [{ kind, id, after: undefined }], effects }
        })
        return shown
      },
    }),
  }
}

/** The value of an entry that can be changed here. */
export function storedValue(state: State, kind: NounKind, id: string): Written {
  const entry = findEntry(state.stored.entries, kind, id)
  const origin = originOf(state, kind, id)
  if (!entry || (origin && origin.from !== 'stored')) throw missing(kind, id, state)
  return entry.value as Written
}

const missing = (kind: NounKind, id: string, state: State) =>
  originOf(state, kind, id) ? readOnly(kind, id, state) : unknownEntry(kind, id, state)

function readOnly(kind: NounKind, id: string, state: State) {
  const origin = originOf(state, kind, id)
  return rejected('read_only_entry', { entry: `${kind} '${id}'`, place: origin ? placeOf(origin) : '' })
}

function unknownEntry(kind: NounKind, id: string, { stored }: State) {
  const known = stored.entries.filter((entry) => entry.kind === kind).map((entry) => entry.id)
  const guess = closestMatch(id, known)
  return rejected('unknown_entry', { entry: `${kind} '${id}'`, hint: guess ? ` Did you mean ${guess}?` : '' })
}

/** Without groups every key is in `default`: the first one must not take all models from all keys. */
function withDefaultGroup(
  id: string,
  created: { kind: 'group'; id: string; after: unknown } | Plan['changes'][number],
  { loaded, stored }: State,
) {
  const isWritten = [...loaded.origins].some(([name, { from }]) => name.startsWith('groups/') && from !== 'built-in')
  const isFirst = !isWritten && !stored.entries.some(({ kind }) => kind === 'group')
  if (!isFirst || id === DEFAULT_GROUP) return [created]
  return [created, { kind: 'group' as const, id: DEFAULT_GROUP, after: { models: [ALL_MODELS], multiplier: 1 } }]
}

/** Where the keys of an upstream go. */
const DESTINATION = ['base_url', 'proxy', 'kind', ...PLACE_FIELDS] as const

/** A stored secret must not be sent to another host by someone who does not have it. */
function checkKeys(before: Written, after: unknown, patch: Written): void {
  const { auth } = after as Written
  const hasStored = secretsIn({ kind: 'upstream', id: '', value: { auth } }).length > 0
  if (auth ? !hasStored : Array.isArray(patch.keys)) return
  const moved = DESTINATION.filter((name) => Object.hasOwn(patch, name) && (after as Written)[name] !== before[name])
  if (moved.length > 0)
    throw rejected('keys_needed', { field: auth ? 'the secrets of auth' : 'keys', changed: moved.join(', ') })
}
