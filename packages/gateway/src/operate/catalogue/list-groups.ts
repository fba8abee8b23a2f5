// Groups with how many keys are in each, and how many models it offers.
import { fields, text } from '../../request/schema/schema.ts'
import { readState } from '../configuration/change.ts'
import { shownEntries } from '../configuration/show.ts'
import { pageFieldsBy } from '../inputs/page.ts'
import { operation } from '../operation.ts'
import { LISTED_GROUP } from '../resources/configuration.ts'
import { catalogueFor } from './list-models.ts'
import { pageInOrder } from './list-order.ts'

export const listGroups = operation({
  name: 'group list',
  permission: 'see',
  route: {
    at: 'GET groups',
    summary: 'Lists groups of every source, with their keys',
    output: LISTED_GROUP,
    list: true,
  },
  input: fields(pageFieldsBy(text({ max: 300 }))),
  /** By id. */
  async run(context, page) {
    const state = await readState(context)
    const { offers } = catalogueFor(context, state)
    const keys = await context.storage.keys.countByGroup()
    const { items, next } = pageInOrder(shownEntries(context, 'group', state), ({ id }) => id, page)
    return {
      items: items.map((entry) => ({
        ...entry,
        keys: keys.get(entry.id) ?? 0,
        models_offered: offers.get(entry.id)?.size ?? 0,
      })),
      next,
    }
  },
})
