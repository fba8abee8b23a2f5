// Shares over the statements of both engines.
import { DEFAULT_SHARE_LIMITS, type Forgotten, type Removal, type ShareKind, type ShareLimits } from '../../shares.ts'
import type { Ask, ContentDialect } from '../contents.ts'
import { mediaPool, storedPool } from './pools.ts'
import { createRoom } from './room.ts'

const PAGE = 200
/** Whatever continues whatever: all rows of the account go. */
const FORGET_RESPONSES = `
DELETE FROM response WHERE account = $1 AND id IN (SELECT id FROM response WHERE account = $1 LIMIT $2) RETURNING id`
const FORGET_ANSWERS = `
UPDATE idempotency SET headers = NULL, body = NULL, bytes = 0
WHERE account = $1 AND key IN (SELECT key FROM idempotency WHERE account = $1 AND bytes > 0 LIMIT $2) RETURNING request`
const FORGET_REASONING = `
DELETE FROM reasoning WHERE account = $1 AND key IN (SELECT key FROM reasoning WHERE account = $1 LIMIT $2) RETURNING key`

const EXPIRE_MEDIA = 'UPDATE media SET expires_at = NOW WHERE account = $1 AND expires_at > NOW'
const EXPIRE_TASKS = 'UPDATE task SET expires_at = NOW WHERE account = $1 AND due_at IS NULL'

/** `rooms`: for the nouns that store. */
export function sharesOver(ask: Ask, dialect: ContentDialect) {
  let listener: (removal: Removal) => void = () => {}
  const report = (removal: Removal) => listener(removal)
  const pools = { stored: storedPool(ask, dialect), media: mediaPool(ask, dialect) }
  const rooms = {
    stored: createRoom(pools.stored, DEFAULT_SHARE_LIMITS.stored, report),
    media: createRoom(pools.media, DEFAULT_SHARE_LIMITS.media, report),
  }
  async function inPages(sql: string, account: bigint): Promise<number> {
    let count = 0
    for (let last = PAGE; last > 0; count += last) last = (await ask(sql, [account, PAGE])).length
    return count
  }
  const forget = async (account: bigint): Promise<Forgotten> => ({
    responses: await inPages(FORGET_RESPONSES, account),
    idempotentResponses: await inPages(FORGET_ANSWERS, account),
    reasoning: await inPages(FORGET_REASONING, account),
  })
  return {
    rooms,
    shares: {
      /** `stored`: responses, with their images, and responses to requests with an idempotency key. `media`: other images and videos. */
      setLimits({ stored, media }: Readonly<Record<ShareKind, ShareLimits>>): void {
        rooms.stored.limits = stored
        rooms.media.limits = media
      },
      onRemoval(next: (removal: Removal) => void): void {
        listener = next
      },
      /** What the account has stored, in bytes. */
      bytesOf: (kind: ShareKind, account: bigint): Promise<number> => pools[kind].bytesOf(account),
      /** What all accounts have stored. */
      totalBytes: (kind: ShareKind): Promise<number> => pools[kind].total(),
      /**
       * Removes all stored responses of the account, the contents of its idempotent responses, whose keys stay claimed, and the
       * reasoning that is kept for it.
       */
      forget,
      /** The same, and its images, videos and ended tasks expire now: the sweeps remove them. */
      async erase(account: bigint): Promise<Forgotten> {
        const forgotten = await forget(account)
        await ask(EXPIRE_MEDIA, [account])
        await ask(EXPIRE_TASKS, [account])
        return forgotten
      },
    },
  }
}
