// Keys of an account: what administration/keys.ts does, on behalf of its holder.
import * as keys from '../../administration/keys.ts'
import { perform } from '../../administration/operation.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { HandlersOf } from '../handlers-of.ts'
import type { KEY_ROUTES, KeyPage, KeyQuery } from '../routes/keys.ts'
import { holderContext, performs } from '../session/holder-context.ts'
import { listGroups } from './groups.ts'
import { offersOfGroup } from './models.ts'

const PAGE = 50

async function listKeys(call: SignedInCall<undefined, KeyQuery>, deps: ConsoleDependencies): Promise<KeyPage> {
  const { before, ...filter } = call.query
  const after = before === undefined ? {} : { after: before }
  const input = { ...filter, ...after, account: String(call.account.id), limit: PAGE }
  const { total, ...page } = await perform(keys.listKeys, holderContext(call, deps), input)
  return { ...page, total: total ?? 0 }
}

const ofKey = ({ body, parameters: { id } }: SignedInCall<object | undefined, unknown, { id: string }>) => ({
  ...body,
  key: id,
})

export const KEY_HANDLERS: HandlersOf<typeof KEY_ROUTES> = {
  'GET keys': listKeys,
  'POST keys': performs(keys.createKey),
  'GET keys/{id}': performs(keys.showKey, ofKey),
  'POST keys/{id}': performs(keys.limitKey, ofKey),
  'POST keys/{id}/rotate': performs(keys.rotateKey, ofKey),
  'DELETE keys/{id}': performs(keys.deleteKey, ofKey),
  'GET groups': async ({ account }, { catalogue, store }) =>
    listGroups(
      catalogue().config,
      await store.accounts.holder(account.id),
      (group) => offersOfGroup(catalogue(), group).length,
    ),
}
