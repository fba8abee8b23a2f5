// Revisions of the stored configuration: who changed what, and the way back.

import { formatRequestId } from '../../request/ids.ts'
import { fields, idOf } from '../../request/schema/schema.ts'
import type { EntryChange, Revision, StoredSecret } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { pageFields, type Range, readPage } from '../inputs/page.ts'
import { REASON } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { changeConfiguration, type State } from './change.ts'
import { isObject } from './merge-patch.ts'
import { secretsIn } from './secrets.ts'
import { withoutCosts, withoutSecrets } from './show.ts'

const REVISION = idOf('a revision')

export const listRevisions = operation({
  name: 'revision list',
  permission: 'see',
  input: fields(pageFields('a revision')),
  /** Newest first. */
  async run({ storage }, page) {
    const read = (range: Range<number>, limit: number) => storage.configuration.revisions(range, limit)
    const { items, next } = await readPage(page, read, ({ revision }) => String(revision), Number)
    return { items: items.map(shownRevision), next }
  },
})

export const showRevision = operation({
  name: 'revision show',
  permission: 'see',
  input: fields({ revision: REVISION }),
  run: (context, { revision }) => show(context, Number(revision)),
})

/** The entries become what they were at that revision, as one more revision. 0: nothing is stored. */
export const restoreRevision = operation({
  name: 'revision restore',
  permission: 'configuration',
  isDangerous: true,
  input: fields({ revision: REVISION, reason: REASON }),
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

async function show(context: OperationContext, revision: number) {
  const { configuration } = context.storage
  const found = await configuration.find(revision)
  if (!found) throw rejected('unknown_revision', { revision })
  const { secrets } = await configuration.read()
  const known = new Map(secrets.map((secret) => [secret.id, secret]))
  return {
    ...shownRevision(found),
    changes: found.changes.map((change) => ({
      kind: change.kind,
      id: change.id,
      before: shownSide(context, change, change.before, known),
      after: shownSide(context, change, change.after, known),
    })),
  }
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

const shownRevision = ({ revision, at, actor, requestId, action, reason }: Revision) => ({
  id: String(revision),
  at: isoTime(at),
  actor: actor.id === '' ? actor.type : `${actor.type}/${actor.id}`,
  request_id: requestId === undefined ? null : formatRequestId(requestId),
  action,
  reason,
})
