// Keys of an account: what administration/keys.ts does, on behalf of its holder.
import * as keys from '../../administration/keys.ts'
import { perform } from '../../administration/operation.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { ChangeKey, KeyPage, KeyQuery, KeyRow, KeyWithSecret, NewKey, RotateKey } from '../routes/keys.ts'
import { holderContext } from '../session/holder-context.ts'

const PAGE = 50

type OfKey<Body = undefined> = SignedInCall<Body, unknown, { id: string }>

export async function listKeys(call: SignedInCall<undefined, KeyQuery>, deps: ConsoleDependencies): Promise<KeyPage> {
  const { before, ...filter } = call.query
  const after = before === undefined ? {} : { after: before }
  const input = { ...filter, ...after, account: String(call.account.id), limit: PAGE }
  const { total, ...page } = await perform(keys.listKeys, holderContext(call, deps), input)
  return { ...page, total: total ?? 0 }
}

export const createKey = (call: SignedInCall<NewKey>, deps: ConsoleDependencies): Promise<KeyWithSecret> =>
  perform(keys.createKey, holderContext(call, deps), { ...call.body, account: String(call.account.id) })

export const showKey = (call: OfKey, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.showKey, holderContext(call, deps), { key: call.parameters.id })

export const changeKey = (call: OfKey<ChangeKey>, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.limitKey, holderContext(call, deps), { ...call.body, key: call.parameters.id })

export const rotateKey = (call: OfKey<RotateKey>, deps: ConsoleDependencies): Promise<KeyWithSecret> =>
  perform(keys.rotateKey, holderContext(call, deps), { ...call.body, key: call.parameters.id })

export const deleteKey = (call: OfKey, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.deleteKey, holderContext(call, deps), { key: call.parameters.id })
