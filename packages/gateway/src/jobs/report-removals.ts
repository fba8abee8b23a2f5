// Reports what was removed because accounts reached their shares of what is stored: at once, and then once per minute for each account.
import type { Log } from '../observe/log.ts'
import type { Removal, ShareKind } from '../storage/shares.ts'
import type { Shares } from '../storage/storage.ts'
import type { Every } from './every.ts'

const INTERVAL_MS = 60_000
/** Accounts beyond this number are reported together with nothing but their sum. */
const MOST_ACCOUNTS = 1_000

const MESSAGES: Record<ShareKind, string> = { stored: 'stored responses removed', media: 'stored media removed' }
const SETTINGS: Record<ShareKind, Record<Removal['limit'], string>> = {
  stored: { account: 'stored_per_account', all: 'stored' },
  media: { account: 'media_per_account', all: 'media' },
}

export function reportRemovals(every: Every, shares: Pick<Shares, 'onRemoval'>, log: Log): void {
  /** What was not reported yet, by account and limit. */
  const waiting = new Map<string, Removal>()
  shares.onRemoval((removal) => {
    const { kind, limit } = removal
    const account = waiting.size < MOST_ACCOUNTS ? removal.account : 0n
    const name = [account, kind, limit].join()
    const known = waiting.get(name)
    if (!known) report(removal, log)
    const before = known ?? { count: -removal.count, bytes: -removal.bytes }
    const [count, bytes] = [before.count + removal.count, before.bytes + removal.bytes]
    waiting.set(name, { kind, limit, account, count, bytes })
  })
  every(INTERVAL_MS, {
    name: 'report removed contents',
    scope: 'node',
    async run() {
      for (const [name, removal] of waiting) {
        if (removal.count === 0) waiting.delete(name)
        else {
          report(removal, log)
          waiting.set(name, { ...removal, count: 0, bytes: 0 })
        }
      }
      return undefined
    },
  })
}

function report({ kind, account, count, bytes, limit }: Removal, log: Log): void {
  const reason =
    limit === 'account' ? 'the account has its share' : 'the database of contents is full, and the account has the most'
  const setting = `server.limits.${SETTINGS[kind][limit]}`
  log.warn(MESSAGES[kind], { account: String(account), count, bytes, reason, setting })
}
