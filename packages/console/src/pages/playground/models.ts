import type { ModelRow } from '@trivium/gateway/console-api/types.ts'
import { useRead } from '../../api/queries.ts'
import { useUrlState } from '../../ui/url-state.ts'
import type { Kind } from './history.ts'

export const TABS: readonly Kind[] = ['text', 'image', 'video']
export const PLACE = { tab: 'text', model: '' }

/** The models of a tab that the built-in key can call, and the chosen one, which is part of the page's URL. */
export function useModels(kind: Kind) {
  const { data: all, error, refetch } = useRead('models', {}, { staleTime: 60_000 })
  const { data: key } = useRead('playground/key')
  const [{ model: chosen }, setPlace] = useUrlState(PLACE)
  const protocol = { text: 'chat', image: 'images', video: 'video-tasks' }[kind]
  const callable = all?.filter(({ type, protocols }) => type === kind && protocols.includes(protocol))
  const models = callable?.filter(({ prices }) => key === undefined || prices.some(({ group }) => group === key.group))
  const model: ModelRow | undefined = models?.find(({ id }) => id === chosen) ?? models?.[0]
  // One that a link names, and that another group offers.
  const other = model?.id === chosen ? undefined : callable?.find(({ id }) => id === chosen)
  return { models, model, other, builtIn: key, error, refetch, choose: (id: string) => setPlace({ model: id }) }
}
