import { usePaused } from '../../ui/form/choices-of.ts'
import { useAdmin } from '../api/queries.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { LINKS } from '../links.ts'
import type { OperatePage } from '../navigation.ts'
import { type Hit, useSearchActs } from './search-acts.ts'

/** Pages whose name contains what was typed, acts that it names, and what the gateway knows by it. */
export function useHits(typed: string, pages: readonly OperatePage[]): { hits: Hit[]; isLoading: boolean } {
  const texts = useOperateTexts()
  const settled = usePaused(typed)
  const isAsked = settled !== ''
  const acts = useSearchActs()
  const credited = acts.credited(settled)
  const { data, isFetching } = useAdmin('search', { q: credited ?? settled }, { enabled: isAsked, keepPrevious: true })
  const wanted = settled.toLowerCase()
  const named = pages
    .filter(({ id }) => isAsked && texts[id].title.toLowerCase().includes(wanted))
    .map(({ id, path }) => ({ kind: 'page', label: texts[id].title, detail: null, href: path }))
  const found = (isAsked ? (data?.data ?? []) : []).map(({ kind, id, label, detail }) => ({
    kind,
    label,
    detail,
    href: LINKS[kind](id),
  }))
  const credits = acts.creditTo(found)
  const hits =
    credited !== undefined ? credits : [...named, ...(isAsked ? acts.named(settled) : []), ...found, ...credits]
  return { hits, isLoading: settled !== typed || isFetching }
}
