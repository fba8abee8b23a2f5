import { usePaused } from '../../ui/form/choices-of.ts'
import { useAdmin } from '../api/queries.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { LINKS } from '../links.ts'
import type { OperatePage } from '../navigation.ts'

/** `href`: a place of the console. `detail`: what tells it from others with the same label. */
export type Hit = { kind: string; label: string; detail: string | null; href: string }

/** Pages whose name contains what was typed, and what the gateway knows by it. */
export function useHits(typed: string, pages: readonly OperatePage[]): { hits: Hit[]; isLoading: boolean } {
  const texts = useOperateTexts()
  const settled = usePaused(typed)
  const isAsked = settled !== ''
  const { data, isFetching } = useAdmin('search', { q: settled }, { enabled: isAsked, keepPrevious: true })
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
  return { hits: [...named, ...found], isLoading: settled !== typed || isFetching }
}
