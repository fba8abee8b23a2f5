// One act on many keys: change their terms, or delete them.
import { fields, idOf, list, optional, word } from '../../request/schema/schema.ts'
import { CHANGE_KEY } from '../inputs/schemas.ts'
import { deleteKey, isSetByOperator, KEY_LIST_FILTER, limitKey, listKeys, showKey } from '../keys.ts'
import { type Operation, operation, perform } from '../operation.ts'
import { checked, rejected } from '../rejections.ts'
import { BULK_RESULT } from '../resources/accounts.ts'
import { hasTerms, idsOf, MOST_AT_ONCE, runBulk } from './bulk.ts'

const { name: _, ...TERMS } = CHANGE_KEY.properties

export const changeKeys = operation({
  name: 'key bulk',
  permission: 'keys',
  isDangerous: true,
  route: {
    at: 'POST keys/bulk',
    summary: 'Changes or deletes up to 200 keys; a dry run says how many would change',
    output: BULK_RESULT,
    example: { body: { keys: ['1', '2'], act: 'edit', terms: { cap_usd: '20', cap_period: 'month' } } },
  },
  input: fields({
    keys: optional(list(idOf('a key'), MOST_AT_ONCE)),
    /** In place of ids: what the list of keys takes. It must match no more than can be changed at once. */
    filter: optional(fields(KEY_LIST_FILTER)),
    act: word('edit', 'delete'),
    /** What an edit changes. */
    terms: optional(fields(TERMS)),
  }),
  async run(context, { keys, filter, act, terms = {} }) {
    const performed: Operation = act === 'edit' ? limitKey : deleteKey
    if (act === 'edit' && Object.keys(terms).length === 0)
      throw rejected('missing_field', { field: 'act', other: 'terms' })
    checked(performed.input, { key: '1', ...terms })
    const read = filter && ((after?: string) => perform(listKeys, context, { ...filter, ...(after ? { after } : {}) }))
    return await runBulk(context, {
      action: 'key bulk',
      object: 'keys',
      ids: await idsOf('keys', keys, read),
      operation: performed,
      terms: { act, ...terms },
      inputOf: (key) => ({ key, ...terms }),
      async isAlready(key) {
        const row = await perform(showKey, context, { key })
        if (act === 'delete') return row.state === 'deleted'
        return row.state !== 'deleted' && hasTerms(row, terms) && (await isSetByOperator(context, key, terms))
      },
    })
  },
})
