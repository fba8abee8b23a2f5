// Revisions of the stored configuration: who changed what, and the way back.

import { canonicalJson } from '../../config/hash.ts'
import { entryKey } from '../../config/stored.ts'
import { formatRequestId } from '../../request/ids.ts'
import { fields, idOf, optional } from '../../request/schema/schema.ts'
import type { EntryChange, Revision, StoredSecret } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { pageFields, type Range, readPage } from '../inputs/page.ts'
import { REASON } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { actorNames, shownActor } from '../people/actor-names.ts'
import { rejected } from '../rejections.ts'
import { REVISION, REVISION_SHOWN } from '../resources/configuration.ts'
import { changeConfiguration, type State } from './change.ts'
import { isObject } from './merge-patch.ts'
import { secretsIn } from './secrets.ts'
import { withoutCosts, withoutSecrets } from './show.ts'

const REVISION_ID = idOf('a revision')
/** Changes of one revision that the list names. */
const MOST_NAMED = 5

export const listRevisions = operation({
  name: 'revision list',
  permission: 'see',
  route: {
    at: 'GET configuration/revisions',
    summary: 'Lists the revisions of the stored configuration',
    output: REVISION,
    list: true,
  },
  input: fields(pageFields('a revision')),
  /** Newest first. */
  async run({ storage }, page) {
    const read = (range: Range<number>, limit: number) => storage.configuration.revisions(range, limit)
    const { items, next } = await readPage(page, read, ({ revision }) => String(revision), Number)
    const numbers = items.map(({ revision }) => revision)
    const summaries = new Map(
      (await storage.configuration.summaries(numbers, MOST_NAMED)).map((each) => [each.revision, each]),
    )
    const names = await actorNames(storage, items)
    return {
      items: items.map((revision) => {
        const { count = 0, first = [] } = summaries.get(revision.revision) ?? {}
        return { ...shownRevision(revision, names), changed: count, changes: first }
      }),
      next,
    }
  },
})

export const showRevision = operation({
  name: 'revision show',
  permission: 'see',
  route: {
    at: 'GET configuration/revisions/{revision}',
    summary: 'Shows a revision with what it changed, or what differs from another one',
    example: { query: 'compare=0' },
    output: REVISION_SHOWN,
  },
  input: fields({ revision: REVISION_ID, compare: optional(REVISION_ID) }),
  run: (context, { revision, compare }) =>
    compare === undefined ? show(context, Number(revision)) : difference(context, Number(revision), Number(compare)),
})

/** The entries become what they were at that revision, as one more revision. 0: nothing is stored. */
export const restoreRevision = operation({
  name: 'revision restore',
  permission: 'configuration',
  isDangerous: true,
  route: {
    at: 'POST configuration/revisions/{revision}/restore',
    summary: 'Restores the stored configuration of a revision, as one more revision',
    output: REVISION_SHOWN,
    example: { body: { reason: 'the new price was wrong' } },
  },
  input: fields({ revision: REVISION_ID, reason: REASON }),
  async run(context, { revision: id, reason }) {
    const revision = Number(id)
    const { configuration } = context.storage
    const action = { name: 'revision restore', object: `revision/${revision}`, reason }
    const state = await changeConfiguration(context, action, async (state) => {
      if (revision > state.stored.revision) throw rejected('unknown_revision', { revision })
      // What is written between the two reads is a conflict, after which both are repeated.
      const since = await configuration.changesSince(revision)
      rejectErased(since, state, revision)
      return { changes: since.map(({ kind, id, before }) => ({ kind, id, after: before })) }
    })
    return await show(context, state.stored.revision)
  },
})

/** A secret that is gone for good cannot come back. */
function rejectErased(changes: readonly EntryChange[], { stored }: State, revision: number): void {
  const erased = new Set(stored.secrets.filter(({ sealed }) => !sealed).map(({ id }) => id))
  const entries = changes.filter((change) =>
    secretsIn({ ...change, value: change.before }).some((id) => erased.has(id)),
  )
  if (entries.length === 0) return
  throw rejected('secret_erased', { revision, entries: entries.map(({ kind, id }) => `${kind} '${id}'`).join(', ') })
}

/** 0: the beginning, with nothing stored. */
async function find(context: OperationContext, revision: number): Promise<FoundRevision> {
  if (revision === 0) return { ...BEGINNING, changes: [] }
  const found = await context.storage.configuration.find(revision)
  if (!found) throw rejected('unknown_revision', { revision })
  const { changes, ...about } = found
  return { ...shownRevision(about, await actorNames(context.storage, [about])), changes }
}

type FoundRevision = Omit<ReturnType<typeof shownRevision>, 'at'> & { at: string | null; changes: EntryChange[] }

type ShownRevision = Omit<FoundRevision, 'changes'> & {
  compared_with: string | null
  changed: number
  changes: ReturnType<typeof shownChanges>
}

const BEGINNING = {
  id: '0',
  at: null,
  actor: '',
  actor_name: null,
  request_id: null,
  action: 'nothing stored',
  reason: '',
} as const

async function show(context: OperationContext, revision: number): Promise<ShownRevision> {
  const { changes, ...found } = await find(context, revision)
  const { secrets } = await context.storage.configuration.read()
  return { ...found, compared_with: null, changed: changes.length, changes: shownChanges(context, changes, secrets) }
}

/** What was stored at `compare` and at `revision`, where that differs, whichever is the older one. */
async function difference(context: OperationContext, revision: number, compare: number): Promise<ShownRevision> {
  const { changes: _, ...found } = await find(context, revision)
  await find(context, compare)
  const { configuration } = context.storage
  const { entries, secrets } = await configuration.read()
  const now = new Map(entries.map((entry) => [entryKey(entry), entry.value]))
  const at = async (number: number) =>
    new Map((await configuration.changesSince(number)).map((change) => [entryKey(change), change]))
  const [one, other] = [await at(compare), await at(revision)]
  const changes = [...new Map([...one, ...other]).values()]
    .map((change): EntryChange => {
      const key = entryKey(change)
      const [before, after] = [one, other].map((since) => (since.has(key) ? since.get(key)?.before : now.get(key)))
      return { kind: change.kind, id: change.id, before, after }
    })
    .filter(({ before, after }) => canonicalJson(before) !== canonicalJson(after))
    .sort((first, second) => (entryKey(first) < entryKey(second) ? -1 : 1))
  const shown = shownChanges(context, changes, secrets)
  return { ...found, compared_with: String(compare), changed: changes.length, changes: shown }
}

function shownChanges(context: OperationContext, changes: readonly EntryChange[], secrets: readonly StoredSecret[]) {
  const known = new Map(secrets.map((secret) => [secret.id, secret]))
  return changes.map((change) => ({
    kind: change.kind,
    id: change.id,
    before: shownSide(context, change, change.before, known),
    after: shownSide(context, change, change.after, known),
  }))
}

function shownSide(
  context: OperationContext,
  { kind, id }: EntryChange,
  value: unknown,
  secrets: ReadonlyMap<string, StoredSecret>,
): unknown {
  if (value === undefined) return null
  const shown = withoutSecrets({ kind, id, value }, secrets)
  return kind === 'model' && isObject(shown) ? withoutCosts(context, shown) : shown
}

const shownRevision = (
  { revision, at, actor, requestId, action, reason }: Revision,
  names: ReadonlyMap<string, string>,
) => ({
  id: String(revision),
  at: isoTime(at),
  actor: shownActor(actor),
  /** Null: the command line, a job, or one that is gone. */
  actor_name: names.get(shownActor(actor)) ?? null,
  request_id: requestId === undefined ? null : formatRequestId(requestId),
  action,
  reason,
})
