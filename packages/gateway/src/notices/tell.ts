// Tells account holders of one crossing: who gets an email is decided by what they chose, and how much is sent by bounds of the account.
// What is beyond them is listed all the same.
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { FileConfig } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import type { NoticeKind, NoticeMark, NoticeReader, Storage, Withheld } from '../storage/storage.ts'
import type { postPublic } from '../upstreams/public/post-public.ts'
import type { Facts } from './facts.ts'

type NoticeStore = Pick<Storage, 'notices' | 'accounts' | 'people' | 'members' | 'meta' | 'now'>
export type NoticeDependencies = {
  storage: NoticeStore
  config(): FileConfig
  log: Log
  accountCipher: Pick<AccountCipher, 'pseudonym' | 'pseudonyms'>
  postPublic: typeof postPublic
  /** Where the console is, for links. */
  gateway(): string
}

const HOUR_MS = 3_600_000
/** Deliveries of an account that wait: further notices are only listed. */
export const MOST_WAITING = 100

export type Found = {
  mark: NoticeMark
  facts: Facts
  /** The member whom it is about, who is told beside the owners. */
  person?: bigint | undefined
  /** Who has chosen this kind is told, too. */
  also?: NoticeKind
  /** Nobody else is told, and no webhook. */
  only?: bigint
}

/** Whether it was told now, and not before. */
export async function tell(found: Found, { storage, config, log }: NoticeDependencies): Promise<boolean> {
  const { notices } = storage
  const { mark, facts, person } = found
  const { account } = mark
  const settings = config()
  const now = storage.now()
  const mailed =
    settings.mail === undefined
      ? []
      : (await notices.readers([account]))
          .filter((reader) => isFor(reader, found) && wants(reader, found, settings.notices.email))
          .map((reader) => reader.person)
  const hook = found.only === undefined && settings.notices.webhooks && (await notices.webhook(account))
  const to = hook ? [undefined, ...mailed] : mailed
  const withheld = to.length === 0 ? '' : await beyond(account, now, settings.notices.perHour, storage)
  const notice = { account, kind: facts.kind, person: found.only ?? person, facts: JSON.stringify(facts), at: now }
  const told = await notices.tell(mark, { ...notice, withheld }, withheld === '' ? to : [])
  if (told !== undefined && withheld !== '')
    log.warn('notice withheld', { account: String(account), kind: facts.kind, reason: withheld })
  return told !== undefined
}

const isFor = ({ isOwner, person }: NoticeReader, { only, person: member }: Found): boolean =>
  only === undefined ? isOwner || person === member : person === only

export const wants = (
  { kinds }: Pick<NoticeReader, 'kinds'>,
  { facts, also }: Pick<Found, 'facts' | 'also'>,
  byDefault: readonly NoticeKind[],
): boolean => {
  const chosen = kinds ?? byDefault
  return chosen.includes(facts.kind) || (also !== undefined && chosen.includes(also))
}

async function beyond(account: bigint, now: number, perHour: number, { notices }: NoticeStore): Promise<Withheld> {
  if ((await notices.sentSince(account, now - HOUR_MS)) >= perHour) return 'hour'
  return (await notices.openDeliveries(account)) >= MOST_WAITING ? 'queue' : ''
}
