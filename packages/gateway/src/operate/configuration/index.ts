// The operations on entries of the stored configuration, by noun.
import { listGroups } from '../catalogue/list-groups.ts'
import { listModels } from '../catalogue/list-models.ts'
import { GROUP, MODEL, UPSTREAM } from '../resources/configuration.ts'
import { entryOperations } from './entries.ts'

export const upstreams = entryOperations('upstream', {
  article: 'an',
  output: UPSTREAM,
  created: { id: 'second', kind: 'openai', keys: ['the-key-of-the-vendor'] },
  changed: { max_concurrency: 64 },
})
export const models = {
  ...entryOperations('model', {
    article: 'a',
    output: MODEL,
    created: {
      id: 'fast',
      routes: [{ upstream: 'second', model: 'gpt-4.1' }],
      price: { input: '2.00', output: '8.00' },
    },
    changed: { price: { input: '2.50' } },
  }),
  list: listModels,
}
export const groups = {
  ...entryOperations('group', {
    article: 'a',
    output: GROUP,
    created: { id: 'staff', models: ['*'], multiplier: '0.8' },
    changed: { multiplier: '0.9' },
  }),
  list: listGroups,
}
