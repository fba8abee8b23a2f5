// Finds what has crossed a percentage: of the budgets, caps and balances of accounts in which something has changed. Whatever is found twice,
// also by two processes, is told once.
import { formatUsd } from '../money/amount.ts'
import { periodStart } from '../money/budgets/budget.ts'
import type { Crossable, NoticedKey, NoticeMark, WalletState } from '../storage/storage.ts'
import { budgetFacts, reached } from './facts.ts'
import { type Found, type NoticeDependencies, tell } from './tell.ts'

/** `since`: keys that were charged later are looked at; 0: all. */
export async function tellCrossings(accounts: readonly bigint[], since: number, deps: NoticeDependencies) {
  const { storage, config } = deps
  const { notices } = storage
  const { percents } = config().notices
  const now = storage.now()
  const crossed = (await notices.crossables(accounts, since)).flatMap((crossable) => {
    const level = reached(crossable.spentNow, crossable.amount, crossable.alerts ?? percents)
    return level === undefined ? [] : [{ crossable, mark: markOf(crossable, level, now) }]
  })
  const known = await knownMarks(
    crossed.map(({ mark }) => mark),
    deps,
  )
  const news = crossed.filter(({ mark }) => isNews(mark, known))
  const keys = await keysOf(news, deps)
  for (const { crossable, mark } of news) await tell(await foundAt(crossable, mark, keys, deps), deps)
  await tellBalances(await notices.wallets(accounts), deps)
}

/** A budget that gets another period has other crossings. */
function markOf(crossable: Crossable, level: number, now: number): NoticeMark {
  const { account, budget, kind, key, person, period, everyHours, startsAt, amount } = crossable
  const name = budget === undefined ? ['cap', kind, key ?? person] : ['budget', budget]
  const each = period === 'hours' ? `${everyHours}h${startsAt ?? 0}` : period
  const subject = [...name, each].filter((part) => part !== undefined).join(':')
  return { account, subject, period: periodStart(crossable, now), basis: amount, level }
}

type Known = ReadonlyMap<string, NoticeMark>
const nameOf = ({ account, subject }: Pick<NoticeMark, 'account' | 'subject'>): string => `${account} ${subject}`
/** Parameters of one statement are few. */
const AT_ONCE = 500

async function knownMarks(marks: readonly NoticeMark[], { storage }: NoticeDependencies): Promise<Known> {
  const known = new Map<string, NoticeMark>()
  for (let at = 0; at < marks.length; at += AT_ONCE) {
    const some = marks.slice(at, at + AT_ONCE)
    const accounts = [...new Set(some.map(({ account }) => account))]
    const subjects = [...new Set(some.map(({ subject }) => subject))]
    for (const mark of await storage.notices.marks(accounts, subjects)) known.set(nameOf(mark), mark)
  }
  return known
}

/** As the store decides it, which has the last word. */
function isNews(mark: NoticeMark, known: Known): boolean {
  const told = known.get(nameOf(mark))
  if (!told || told.period !== mark.period) return !told || told.period < mark.period
  return told.basis !== mark.basis || told.level < mark.level
}

type Keys = ReadonlyMap<bigint, NoticedKey>

async function keysOf(news: readonly { crossable: Crossable }[], { storage }: NoticeDependencies): Promise<Keys> {
  const ids = [...new Set(news.flatMap(({ crossable: { key } }) => key ?? []))]
  const keys = new Map<bigint, NoticedKey>()
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const key of await storage.notices.noticedKeys(ids.slice(at, at + AT_ONCE))) keys.set(key.id, key)
  return keys
}

/** A key that has nothing left is stopped, until its cap or budget begins anew. */
async function foundAt(crossable: Crossable, mark: NoticeMark, keys: Keys, deps: NoticeDependencies): Promise<Found> {
  const { kind, owner: person, hard, person: named } = crossable
  const key = crossable.key === undefined ? undefined : keys.get(crossable.key)
  const member = named === undefined ? undefined : (await deps.storage.people.names([named])).get(named)
  const facts = budgetFacts(crossable, mark.level, { key, member })
  if (kind !== 'key' || !hard || mark.level < 100) return { mark, person, facts: { kind: 'budget', ...facts } }
  const stopped = { reason: 'used_up' as const, key: facts.key, member: null, note: '', budget: facts }
  return { mark, person, facts: { kind: 'key', ...stopped }, also: 'budget' }
}

/**
 * A balance at a percentage of what it was after the last credit, as it was first seen after it, and below what a person has chosen. What
 * requests hold is not spent yet.
 */
async function tellBalances(wallets: readonly WalletState[], deps: NoticeDependencies): Promise<void> {
  const { storage, config } = deps
  const { notices } = storage
  const accounts = wallets.map(({ account }) => account)
  const readers = await notices.readers(accounts, { withThreshold: true })
  const subjects = ['balance', 'balance:top', ...new Set(readers.map(({ person }) => `balance:${person}`))]
  const known = new Map((await notices.marks(accounts, subjects)).map((mark) => [nameOf(mark), mark]))
  for (const wallet of wallets) {
    const { account, balance, creditLine, lastCredit } = wallet
    const top = known.get(nameOf({ account, subject: 'balance:top' }))
    const isNewCredit = lastCredit !== undefined && Number(lastCredit) > (top?.period ?? -1)
    // Transfers of closed months may be in files, which are not read for this: what was seen before still holds.
    const period = isNewCredit ? Number(lastCredit) : (top?.period ?? 0)
    const basis = isNewCredit || !top ? balance : top.basis
    if (isNewCredit) await notices.mark({ account, subject: 'balance:top', period, basis, level: 0 })
    const found: Found[] = []
    const percent = basis > 0n ? reached(basis - balance, basis, config().notices.percents) : undefined
    if (percent !== undefined)
      found.push({
        mark: { account, subject: 'balance', period, basis, level: percent },
        facts: { kind: 'balance', ...balanceFacts(balance), percent, of_usd: formatUsd(basis) },
      })
    for (const { person, lowBalance = 0n } of readers.filter((reader) => reader.account === account)) {
      if (balance + creditLine >= lowBalance) continue
      const mark = { account, subject: `balance:${person}`, period, basis: lowBalance, level: 100 }
      const facts = { kind: 'balance' as const, ...balanceFacts(balance), below_usd: formatUsd(lowBalance) }
      found.push({ mark, facts, only: person })
    }
    for (const each of found) if (isNews(each.mark, known)) await tell(each, deps)
  }
}

const balanceFacts = (balance: bigint) => ({
  balance_usd: formatUsd(balance),
  below_usd: null,
  percent: null,
  of_usd: null,
})
