// The place of a row in the list of rejected requests, as the ends of its pages are written.
import { textLike } from '../../request/schema/schema.ts'

/** That of storage, whose types the console should not have to read. */
type RejectedPlace = { minute: number; account: bigint; key: bigint; code: string }

export const REJECTED_PLACE = textLike((value) => parsePlace(value) !== undefined, 'be the end of a page')

export const formatPlace = ({ minute, account, key, code }: RejectedPlace): string =>
  [minute, account, key, code].join('.')

function parsePlace(written: string): RejectedPlace | undefined {
  const [, minute, account, key, code] = /^(\d{1,15})\.(\d{1,18})\.(\d{1,18})\.(\w{1,100})$/.exec(written) ?? []
  if (minute === undefined || account === undefined || key === undefined || code === undefined) return undefined
  return { minute: Number(minute), account: BigInt(account), key: BigInt(key), code }
}

export const readPlace = (written: string): RejectedPlace =>
  parsePlace(written) ?? { minute: 0, account: 0n, key: 0n, code: '' }
