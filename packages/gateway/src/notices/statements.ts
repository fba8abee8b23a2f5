// Once a month is over: tells those who want to know it that its statement is ready.
import { type NoticeDependencies, tell, wants } from './tell.ts'

const UNTIL = 'notices_statements'
const PAGE = 200

/** The pages that are left of the last month; where they ended is kept in the store. */
export async function tellStatements(deps: NoticeDependencies): Promise<void> {
  const { meta, notices, now } = deps.storage
  const { from, to, month } = lastMonth(now())
  // The months before the first pass are not told of.
  const [known, done] = (await meta.setOnce(UNTIL, `${month} done`)).split(' ')
  if (known === month && done === 'done') return
  for (let after = known === month ? BigInt(done ?? 0) : 0n; ; ) {
    const accounts = await notices.movedIn(from, to, after, PAGE)
    for (const account of await wanted(accounts, deps)) {
      const mark = { account, subject: 'statement', period: from, basis: 0n, level: 100 }
      await tell({ mark, facts: { kind: 'statement', month } }, deps)
    }
    after = accounts.at(-1) ?? after
    const isDone = accounts.length < PAGE
    await meta.set(UNTIL, `${month} ${isDone ? 'done' : after}`)
    if (isDone) return
  }
}

function lastMonth(now: number) {
  const date = new Date(now)
  const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)
  return {
    from,
    to: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
    month: new Date(from).toISOString().slice(0, 7),
  }
}

/** Those in which an owner wants an email, or that have a webhook. */
async function wanted(accounts: readonly bigint[], { storage, config }: NoticeDependencies): Promise<Set<bigint>> {
  const settings = config().notices
  const facts = { kind: 'statement' as const, month: '' }
  const readers = (await storage.notices.readers(accounts)).filter(
    (reader) => reader.isOwner && wants(reader, { facts }, settings.email),
  )
  const hooks = settings.webhooks ? await storage.notices.withWebhook(accounts) : []
  return new Set([...hooks, ...readers.map(({ account }) => account)])
}
