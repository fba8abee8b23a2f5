// Keys of an account: what administration/keys.ts does, on behalf of its holder.
import * as keys from '../../administration/keys.ts'
import { perform } from '../../administration/operation.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { HandlersOf } from '../handlers-of.ts'
import type {
  ChangeKey,
  KEY_ROUTES,
  KeyPage,
  KeyQuery,
  KeyRow,
  KeyWithSecret,
  NewKey,
  RotateKey,
} from '../routes/keys.ts'
import { holderContext } from '../session/holder-context.ts'
import { listGroups } from './groups.ts'
import { offersOfGroup } from './models.ts'

const PAGE = 50

type OfKey<Body = undefined> = SignedInCall<Body, unknown, { id: string }>

async function listKeys(call: SignedInCall<undefined, KeyQuery>, deps: ConsoleDependencies): Promise<KeyPage> {
  const { before, ...filter } = call.query
  const after = before === undefined ? {} : { after: before }
  const input = { ...filter, ...after, account: String(call.account.id), limit: PAGE }
  const { total, ...page } = await perform(keys.listKeys, holderContext(call, deps), input)
  return { ...page, total: total ?? 0 }
}

const createKey = (call: SignedInCall<NewKey>, deps: ConsoleDependencies): Promise<KeyWithSecret> =>
  perform(keys.createKey, holderContext(call, deps), { ...call.body, account: String(call.account.id) })

const showKey = (call: OfKey, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.showKey, holderContext(call, deps), { key: call.parameters.id })

const changeKey = (call: OfKey<ChangeKey>, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.limitKey, holderContext(call, deps), { ...call.body, key: call.parameters.id })

const rotateKey = (call: OfKey<RotateKey>, deps: ConsoleDependencies): Promise<KeyWithSecret> =>
  perform(keys.rotateKey, holderContext(call, deps), { ...call.body, key: call.parameters.id })

const deleteKey = (call: OfKey, deps: ConsoleDependencies): Promise<KeyRow> =>
  perform(keys.deleteKey, holderContext(call, deps), { key: call.parameters.id })

export const KEY_HANDLERS: HandlersOf<typeof KEY_ROUTES> = {
  'GET keys': listKeys,
  'POST keys': createKey,
  'GET keys/{id}': showKey,
  'POST keys/{id}': changeKey,
  'POST keys/{id}/rotate': rotateKey,
  'DELETE keys/{id}': deleteKey,
  'GET groups': async ({ account }, { catalogue, store }) =>
    listGroups(
      catalogue().config,
      await store.accounts.holder(account.id),
      (group) => offersOfGroup(catalogue(), group).length,
    ),
}
