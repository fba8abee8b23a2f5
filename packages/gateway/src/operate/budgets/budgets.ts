// Budgets: list, show, create, change and delete. Operators do so for all; the owner of an account for the account, beside what the
// operator has set.
import { MOST_BUDGETS } from '../../money/budgets/budget.ts'
import { budgetState } from '../../money/budgets/state.ts'
import { boolean, fields, idOf, optional, text, textLike, word } from '../../request/schema/schema.ts'
import { BUDGET_KINDS, BUDGET_SETTERS, MOST_BUDGETS_KEPT, MOST_SHARED_BUDGETS } from '../../storage/console/budgets.ts'
import type { BudgetSubject } from '../../storage/storage.ts'
import { findAccount, personNamed } from '../inputs/find-account.ts'
import { given, pageFieldsBy, readPlace } from '../inputs/page.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { audited, need, type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { OPERATORS_BUDGET } from '../resources/budgets.ts'
import { changeCap, removeCap } from './caps.ts'
import { budgetEffects, newBudgetEffects } from './effects.ts'
import { BUDGET_ID, budgetEntry, type Entry, entryPage } from './entries.ts'
import { findBudget, sightOf } from './find.ts'
import { type BudgetRow, budgetRows } from './rows.ts'
import { readSubject, SUBJECT_FIELDS } from './subject.ts'
import { NEW_TERMS, readSettings, settingsJson, TERM_CHANGES } from './terms.ts'
import { isOneTooMany } from './together.ts'

/** In force, of one account: so many by its owner and the operator together, before the owner can make no more. */
export const MOST_WITH_HOLDERS = 5_000

const BUDGET = text({ max: 60 })
export const SHOWN_ID = textLike((value) => BUDGET_ID.test(value), 'be the id of a budget')

export const listBudgets = operation({
  name: 'budget list',
  permission: 'see',
  forHolders: true,
  route: {
    at: 'GET budgets',
    summary: 'Lists budgets and caps, newest first, caps last',
    output: OPERATORS_BUDGET,
    list: true,
    csv: true,
  },
  input: fields({
    /** Without it: of all accounts, and across accounts. */
    account: optional(ACCOUNT),
    kind: optional(word(...BUDGET_KINDS)),
    /** Also those of its models. */
    key: optional(idOf('a key')),
    /** By id or email address. */
    person: optional(text({ max: 320 })),
    value: optional(text({ max: 256 })),
    set_by: optional(word(...BUDGET_SETTERS)),
    /** Only those of which nothing is left. */
    reached: optional(boolean()),
    /** Only budgets across accounts. */
    across_accounts: optional(boolean()),
    /** False: without caps. */
    caps: optional(boolean()),
    ...pageFieldsBy(SHOWN_ID),
  }),
  async run(context, written) {
    const { account: named, kind, key, person, value, set_by, reached, across_accounts, caps = true, ...page } = written
    if (across_accounts && named !== undefined)
      throw rejected('exclusive', { field: 'across_accounts', other: 'account' })
    const { place, limit } = readPlace(page, String)
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const filter = {
      ...given({
        account: across_accounts ? null : account,
        kind,
        key: key === undefined ? undefined : BigInt(key),
        person: person === undefined ? undefined : (await personNamed(context, person)).id,
        value,
        setBy: set_by,
        mayBeReached: reached ? (true as const) : undefined,
      }),
      hasCaps: caps,
    }
    const sees = await sightOf(context)
    const now = context.storage.now()
    const { entries, next } = await entryPage(context, filter, place, limit, (entry) => {
      const isOf = isFor(filter.key, entry.key) && isFor(filter.person, entry.person) && isFor(set_by, entry.setBy)
      return isOf && sees(entry) && isFor(reached, budgetState(entry, now).isReached)
    })
    return { items: await budgetRows(entries, context), next: next ?? null }
  },
})

/** Parts of the list may have more than the filter asks for. */
const isFor = <Value>(wanted: Value | undefined, value: Value | undefined): boolean =>
  wanted === undefined || wanted === value

export const showBudget = operation({
  name: 'budget show',
  permission: 'see',
  forHolders: true,
  route: { at: 'GET budgets/{budget}', summary: 'Shows a budget or a cap', output: OPERATORS_BUDGET },
  input: fields({ budget: BUDGET }),
  run: async (context, { budget: id }) => await rowOf(await findBudget(context, id), context),
})

export const createBudget = operation({
  name: 'budget create',
  permission: 'money',
  forHolders: true,
  route: {
    at: 'POST budgets',
    summary: 'Creates a budget',
    output: OPERATORS_BUDGET,
    status: 201,
    example: {
      body: { kind: 'tag', account: 'ada@example.com', value: 'team=search', amount_usd: '50', period: 'day' },
    },
  },
  input: fields({ ...SUBJECT_FIELDS, ...NEW_TERMS }),
  async run(context, written) {
    checkOwner(context)
    const subject = await readSubject(context, written)
    if (subject.account === undefined) need(context.actor, 'money')
    const settings = readSettings(written, undefined)
    await countChange(context)
    const isHolder = context.actor.type === 'holder'
    if (await isOneTooMany(subject, isHolder, context.storage.budgets))
      throw rejected('too_many_together', { most: MOST_BUDGETS })
    const most = isHolder ? MOST_WITH_HOLDERS : mostOf(subject)
    const object = subject.account === undefined ? 'budgets' : `account/${subject.account}`
    const after = { ...subjectJson(subject), ...settingsJson(settings) }
    const effects = await newBudgetEffects(context, subject)
    const { budgets } = audited(context, 'budget create', { object, after, effects })
    const made = await budgets.create({ ...subject, ...settings, setBy: isHolder ? 'holder' : 'operator' }, most)
    if (made === undefined) throw rejected('too_many_budgets', { most })
    return await rowOf(budgetEntry(made), context)
  },
})

const mostOf = ({ account }: BudgetSubject): number => (account === undefined ? MOST_SHARED_BUDGETS : MOST_BUDGETS_KEPT)

export const changeBudget = operation({
  name: 'budget change',
  permission: 'see',
  forHolders: true,
  route: {
    at: 'PATCH budgets/{budget}',
    summary: 'Changes a budget or a cap; another period begins a new count',
    output: OPERATORS_BUDGET,
    example: { body: { amount_usd: '80', alerts: [50, 80, 100] } },
  },
  input: fields({ budget: BUDGET, ...TERM_CHANGES }),
  async run(context, { budget: id, ...written }) {
    const known = await changeable(context, id)
    if (Object.keys(written).length === 0) return await rowOf(known, context)
    if (known.isCap) await changeCap(context, known, written)
    else {
      const settings = readSettings(written, known)
      await countChange(context)
      const [before, after] = [settingsJson(known), settingsJson(settings)]
      const entry = { object: `budget/${known.id}`, before, after, effects: budgetEffects(context, known, settings) }
      const { budgets } = audited(context, 'budget change', entry)
      if ((await budgets.change(BigInt(known.id), settings)) === undefined) throw rejected('budget_deleted', {})
    }
    return await rowOf(await findBudget(context, id), context)
  },
})

export const deleteBudget = operation({
  name: 'budget delete',
  permission: 'see',
  forHolders: true,
  route: { at: 'DELETE budgets/{budget}', summary: 'Deletes a budget, or removes a cap', output: OPERATORS_BUDGET },
  input: fields({ budget: BUDGET }),
  async run(context, { budget: id }) {
    const known = await changeable(context, id)
    if (known.isCap) await removeCap(context, known)
    else {
      await countChange(context)
      const before = { ...subjectJson(known), ...settingsJson(known) }
      const entry = { object: `budget/${known.id}`, before, effects: budgetEffects(context, known) }
      if (!(await audited(context, 'budget delete', entry).budgets.delete(BigInt(known.id))))
        throw rejected('budget_deleted', {})
    }
    return await rowOf({ ...known, deletedAt: context.storage.now() }, context)
  },
})

async function rowOf(entry: Entry, context: OperationContext): Promise<BudgetRow> {
  const [row] = await budgetRows([entry], context)
  if (!row) throw new Error('a budget has no row')
  return row
}

/** Budgets are money. Caps need what their own operations need. */
async function changeable(context: OperationContext, id: string): Promise<Entry> {
  const { actor } = context
  checkOwner(context)
  const found = await findBudget(context, id)
  if (found.isCap && (found.kind !== 'account' || actor.type !== 'holder')) return found
  if (actor.type !== 'holder') need(actor, 'money')
  else if (found.setBy === 'operator') throw rejected('operators_budget', {})
  if (found.deletedAt !== undefined) throw rejected('budget_deleted', {})
  return found
}

function checkOwner({ actor }: OperationContext): void {
  if (actor.type === 'holder' && actor.role !== 'owner') throw rejected('owner_only', { act: 'change budgets' })
}

/** Changes by account holders in an hour, on all nodes: each makes all nodes look up the keys of the account again. */
const MOST_CHANGES = { most: 300, windowMs: 3_600_000 }

async function countChange({ actor, storage }: OperationContext): Promise<void> {
  if (actor.type !== 'holder') return
  const subject = `change budgets of account ${actor.account.id}`
  const waitMs = await storage.signIns.countAttempt([{ subject, ...MOST_CHANGES }])
  if (waitMs === undefined) return
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000))
  throw rejected('too_many_budget_changes', { most: MOST_CHANGES.most, retryAfter })
}

/** Those that it has. */
const subjectJson = ({ kind, key, person, model, value }: BudgetSubject) =>
  given({
    kind,
    key: key === undefined ? undefined : String(key),
    person: person === undefined ? undefined : String(person),
    model,
    value,
  })
