// Budgets of LiteLLM, with what is spent in the window that is open at a time.
import type { Nanos } from '../../money/amount.ts'
import type { FoundBudget, SourceId } from '../installation.ts'
import { nanosOf, textOf, timeOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import type { LitellmConfig } from './config.ts'
import { type Context, NO_PERSON, UNOWNED } from './directory.ts'
import { limitsIn, readSpent, type SpentIn } from './window-spend.ts'
import { windowOf } from './windows.ts'

type Subject = Pick<FoundBudget, 'kind'> & Partial<Pick<FoundBudget, 'account' | 'key' | 'person' | 'model' | 'value'>>
type Terms = {
  amount: Nanos | undefined
  duration: string | undefined
  resetAt: number | undefined
  spent: Nanos
  hard?: boolean
}
type Made = { path: string; row: string; id: SourceId; subject: Subject; terms: Terms }

const KEYS = 'LiteLLM_VerificationToken'

export async function* readBudgets(context: Context, config: LitellmConfig): AsyncGenerator<FoundBudget> {
  const spentIn = readSpent(context)
  yield* accountBudgets(context, spentIn)
  yield* keyBudgets(context, spentIn)
  yield* memberBudgets(context)
  yield* valueBudgets(context, config)
}

/** None: there is no amount, or no period of ours. An amount of 0 allows nothing, which the keys show. */
function budget({ findings, now }: Context, { path, row, id, subject, terms }: Made): FoundBudget[] {
  const { amount, duration, resetAt, spent, hard = true } = terms
  if (amount === undefined || amount === 0n) return []
  const window = windowOf(duration, resetAt, now)
  if (!window || amount < 0n) {
    findings.add(
      path,
      'manual',
      amount < 0n
        ? 'The amount is below 0: set a budget.'
        : `There is no period of ${duration} here: set a budget with another.`,
      row,
    )
    return []
  }
  findings.add(path, 'exact')
  const isOver = duration !== undefined && resetAt !== undefined && resetAt <= now
  const { period, everyHours, startsAt } = window
  const nothing = { account: undefined, key: undefined, person: undefined, model: undefined, value: undefined }
  return [{ ...nothing, ...subject, id, amount, period, everyHours, startsAt, hard, spentNow: isOver ? 0n : spent }]
}

/** Field by field the row's own, else those of its budget. */
function termsOf(row: SourceRow, { directory }: Context): Terms {
  const shared = directory.budgets.get(textOf(row.budget_id ?? null) ?? '')
  const duration = textOf(row.budget_duration ?? null) ?? textOf(shared?.budget_duration)
  return {
    amount: nanosOf(row.max_budget) ?? nanosOf(shared?.max_budget),
    duration,
    resetAt: timeOf(row.budget_reset_at) ?? timeOf(shared?.budget_reset_at),
    spent: nanosOf(row.spend) ?? 0n,
  }
}

function* soft(row: SourceRow, made: Omit<Made, 'terms'>, context: Context): Generator<FoundBudget> {
  const shared = context.directory.budgets.get(textOf(row.budget_id ?? null) ?? '')
  const amount = nanosOf(row.soft_budget) ?? nanosOf(shared?.soft_budget)
  yield* budget(context, { ...made, id: `${made.id}:soft`, terms: { ...termsOf(row, context), amount, hard: false } })
}

async function* accountBudgets(context: Context, spentIn: SpentIn): AsyncGenerator<FoundBudget> {
  const { source, findings, directory } = context
  for await (const row of source.rows('LiteLLM_UserTable', ['user_id'])) {
    const user = textOf(row.user_id) ?? ''
    if (NO_PERSON.has(user)) continue
    const [id, path] = [`user:${user}`, 'LiteLLM_UserTable.max_budget']
    const made = budget(context, {
      path,
      row: user,
      id,
      subject: { kind: 'account', account: id },
      terms: termsOf(row, context),
    })
    yield* made
    if (made.length > 0 && (nanosOf(row.spend) ?? 0n) > (directory.spent.get(id) ?? 0n))
      findings.add(
        path,
        'approximate',
        'What the person spent with keys of teams counts until the period ends, and later no more.',
        user,
      )
  }
  for await (const row of source.rows('LiteLLM_TeamTable', ['team_id'])) {
    const team = textOf(row.team_id) ?? ''
    const id = `team:${team}`
    const made = {
      path: 'LiteLLM_TeamTable.max_budget',
      row: team,
      id,
      subject: { kind: 'account', account: id },
    } as const
    yield* budget(context, { ...made, terms: termsOf(row, context) })
    yield* soft(row, made, context)
    yield* limited(row, made, context, spentIn)
  }
}

async function* keyBudgets(context: Context, spentIn: SpentIn): AsyncGenerator<FoundBudget> {
  const { source, directory } = context
  for await (const row of source.rows(KEYS, ['token'])) {
    const token = textOf(row.token) ?? ''
    const [key, name] = [`key:${token}`, textOf(row.key_alias) || textOf(row.key_name) || '']
    const account = directory.keys.get(token)?.account ?? UNOWNED
    const made: Omit<Made, 'terms'> = {
      path: `${KEYS}.max_budget`,
      row: name,
      id: key,
      subject: { kind: 'key', account, key },
    }
    yield* budget(context, { ...made, terms: termsOf(row, context) })
    yield* soft(row, made, context)
    yield* limited(row, made, context, spentIn)
  }
}

/** Several windows at once, and budgets by model, each with what was spent in the window that is open. */
async function* limited(
  row: SourceRow,
  made: Omit<Made, 'terms'>,
  context: Context,
  spentIn: SpentIn,
): AsyncGenerator<FoundBudget> {
  const [kind, id] = row.token === undefined ? (['team', row.team_id] as const) : (['key', row.token] as const)
  const table = made.path.replace(/\..*/, '')
  for (const limit of limitsIn(row, context)) {
    const { model, amount, duration } = limit
    const terms = { amount, duration, resetAt: undefined, spent: await spentIn(kind, textOf(id) ?? '', limit) }
    const windowed = { ...made, path: `${table}.budget_limits`, id: `${made.id}:${duration}`, terms }
    if (model === undefined) yield* budget(context, windowed)
    else if (kind === 'key') {
      const subject = { ...made.subject, kind: 'key_model', model } as const
      yield* budget(context, {
        ...windowed,
        path: `${table}.model_max_budget`,
        id: `${made.id}:model:${model}`,
        subject,
      })
    }
  }
}

async function* memberBudgets(context: Context): AsyncGenerator<FoundBudget> {
  const { source, findings, directory } = context
  for await (const row of source.rows('LiteLLM_TeamMembership', ['team_id', 'user_id'])) {
    const [team = '', user = ''] = [textOf(row.team_id), textOf(row.user_id)]
    const terms = termsOf(row, context)
    if (terms.amount === undefined || !directory.people.has(user) || !directory.teams.has(team)) continue
    const [path, named] = ['LiteLLM_TeamMembership.budget_id', `${user} in ${team}`]
    const subject = { kind: 'member', account: `team:${team}`, person: `user:${user}` } as const
    if (!terms.duration) findings.add(path, 'manual', 'Budgets of members need a period: set one.', named)
    else yield* budget(context, { path, row: named, id: `member:${team}:${user}`, subject, terms })
  }
}

/** Budgets of tags, organizations, end users, and of everything. */
async function* valueBudgets(context: Context, { litellm }: LitellmConfig): AsyncGenerator<FoundBudget> {
  const { source, findings, report } = context
  for await (const row of source.rows('LiteLLM_TagTable', ['tag_name'])) {
    const tag = textOf(row.tag_name) ?? ''
    report('LiteLLM_TagTable', row, tag)
    const subject = { kind: 'tag', value: tag } as const
    yield* budget(context, {
      path: 'LiteLLM_TagTable.budget_id',
      row: tag,
      id: `tag:${tag}`,
      subject,
      terms: termsOf(row, context),
    })
  }
  for await (const row of source.rows('LiteLLM_OrganizationMembership', ['organization_id', 'user_id']))
    report('LiteLLM_OrganizationMembership', row, textOf(row.organization_id) ?? '')
  for await (const row of source.rows('LiteLLM_OrganizationTable', ['organization_id'])) {
    const id = textOf(row.organization_id) ?? ''
    report('LiteLLM_OrganizationTable', row, id)
    const path = 'LiteLLM_OrganizationTable.budget_id'
    const subject = { kind: 'tag', value: `organization=${id}` } as const
    const made = budget(context, { path, row: id, id: `organization:${id}`, subject, terms: termsOf(row, context) })
    if (made.length > 0)
      findings.add(
        path,
        'approximate',
        'The organization is a tag of its keys, whose budget ends new requests within seconds.',
        id,
      )
    yield* made
  }
  for await (const row of source.rows('LiteLLM_EndUserTable', ['user_id'])) {
    const user = textOf(row.user_id) ?? ''
    report('LiteLLM_EndUserTable', row, user)
    const terms = termsOf(row, context)
    if (terms.amount === undefined) continue
    const [path, accounts] = ['LiteLLM_EndUserTable.budget_id', await accountsOf(user, context)]
    const says =
      accounts.length === 0
        ? 'No account has sent this end user: set a budget where one does.'
        : 'Each account that has sent the end user has a budget of its own.'
    findings.add(path, accounts.length === 0 ? 'manual' : 'approximate', says, user)
    for (const account of accounts) {
      const subject = { kind: 'end_user', account, value: user } as const
      yield* budget(context, { path, row: user, id: `end_user:${account}:${user}`, subject, terms })
    }
  }
  const amount = nanosOf(litellm.max_budget as number | undefined)
  const duration = textOf(litellm.budget_duration as string | undefined)
  for await (const row of source.find(
    'LiteLLM_UserTable',
    'user_id',
    amount === undefined ? [] : ['litellm-proxy-budget'],
  )) {
    const terms = { ...termsOf(row, context), amount, duration }
    yield* budget(context, { path: 'litellm_settings.max_budget', row: '', id: 'all', subject: { kind: 'all' }, terms })
  }
}

async function accountsOf(user: string, { source, directory }: Context): Promise<SourceId[]> {
  const found = new Set<SourceId>()
  for await (const row of source.find('LiteLLM_DailyEndUserSpend', 'end_user_id', [user], ['api_key'])) {
    const account = directory.keys.get(textOf(row.api_key) ?? '')?.account
    if (account) found.add(account)
  }
  return [...found].sort()
}
