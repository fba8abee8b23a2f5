import { useEffect } from 'react'
import { useRead } from '../../api/queries.ts'
import type { ModelRow } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { preferredModels } from '../models/preferred.ts'
import { KINDS, type Kind } from './history/entry.ts'

export const TABS = Object.keys(KINDS) as readonly Kind[]
export const isTab = (type: string): boolean => TABS.some((tab) => tab === type)
export const PLACE = { tab: 'text', model: '' }

/**
 * The models of a tab that the built-in key can call, by name, and the chosen one, which is part of the page's URL: else the one that was
 * used last, else the cheapest one that answers.
 */
export function useModels(kind: Kind) {
  const { data: all, error, refetch } = useRead('models', {}, { staleTime: 60_000 })
  const { data: key } = useRead('playground/key')
  const [{ model: chosen }, setPlace] = useUrlState(PLACE)
  const { id: account } = useSession().account
  const lastUsed = localStorage.getItem(storedAt(account, kind)) ?? ''
  const wanted = KINDS[kind]
  const callable = all?.filter(({ type, protocols }) => type === wanted.type && protocols.includes(wanted.protocol))
  const ranked = callable && preferredModels(callable, key?.group)
  const named = (id: string) => ranked?.find((each) => each.id === id)
  const model: ModelRow | undefined = named(chosen) ?? named(lastUsed) ?? ranked?.[0]
  // One that a link names, and that another group offers.
  const other = model?.id === chosen ? undefined : callable?.find(({ id }) => id === chosen)
  const remember = (id: string) => localStorage.setItem(storedAt(account, kind), id)
  // The choice outlives the URL.
  useEffect(() => {
    if (chosen !== '' && model?.id === chosen) localStorage.setItem(storedAt(account, kind), chosen)
  }, [account, kind, chosen, model?.id])
  return {
    models: ranked?.toSorted((one, two) => one.id.localeCompare(two.id)),
    model,
    other,
    builtIn: key,
    error,
    refetch,
    remember,
    choose: (id: string) => setPlace({ model: id }),
    /** What to try if this one has failed. */
    alternative: ranked?.find(({ id }) => id !== model?.id),
  }
}

const storedAt = (account: string, kind: Kind): string => `trivium-model-${account}-${kind}`
