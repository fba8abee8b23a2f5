// The search of the documentation, above each of its pages. Its text is loaded by the first query.

import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { useLanguage } from '../../i18n/language.tsx'
import { SearchField } from '../../ui/search.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { find, type Result } from './search.ts'
import type { Section } from './sections.ts'

type Props = { base: string; query: string; onChange(query: string): void }

const addressOf = (base: string, { page, anchor }: Result): string =>
  `${base}${page === 'README' ? '' : page}${anchor === '' ? '' : `#${anchor}`}`

export function HelpSearch({ base, query, onChange }: Props) {
  const { language, texts } = useLanguage()
  const t = texts.help
  const list = useRef<HTMLOListElement>(null)
  const [, navigate] = useLocation()
  const { data, error, refetch } = useSections(query !== '')
  const results = useMemo(() => find(data ?? [], query, language), [data, query, language])

  /** Enter opens the best result, and the arrows lead through all of them and back to the field. */
  const onKeyDown = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(event.target as HTMLAnchorElement)
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      const [first] = find(data ?? [], event.target.value, language)
      if (first) navigate(addressOf(base, first))
    } else if (event.key === 'ArrowDown' && at + 1 < links.length) {
      event.preventDefault()
      links[at + 1]?.focus()
    } else if (event.key === 'ArrowUp' && at >= 0) {
      event.preventDefault()
      const former = at > 0 ? links[at - 1] : event.currentTarget.querySelector('input')
      former?.focus()
    }
  }
  return (
    <search onKeyDown={onKeyDown} className="mb-6 flex max-w-[760px] flex-col gap-4">
      <SearchField value={query} onChange={onChange} label={t.search} />
      {query !== '' && error && <ErrorState error={error} retry={refetch} />}
      {query !== '' && !error && data === undefined && <Skeleton size="h-64 w-full" />}
      <p role="status" className="sr-only">
        {query !== '' && data !== undefined ? t.found(results.length) : ''}
      </p>
      {query !== '' && data !== undefined && results.length === 0 && (
        <EmptyState title={t.none(query)}>{t.tryThis}</EmptyState>
      )}
      {query !== '' && results.length > 0 && (
        <ol ref={list} className="flex flex-col gap-4">
          {results.map((result) => (
            <Found key={`${result.page}#${result.anchor}`} href={addressOf(base, result)} result={result} />
          ))}
        </ol>
      )}
    </search>
  )
}

/** The page and the heading, and the text around the words that were found. */
function Found({ href, result: { page, title, heading, parts } }: { href: string; result: Result }) {
  let at = 0
  return (
    <li lang={page.endsWith('.zh-CN') ? 'zh-CN' : 'en'} className="wrap-anywhere">
      <Link href={href} className="font-medium text-link hover:underline">
        {heading === '' ? title : `${title} › ${heading}`}
      </Link>
      <p className="text-sm text-muted">
        {parts.map(({ text, isFound }) => {
          at += text.length
          return isFound ? (
            <mark key={at} className="bg-transparent font-medium text-ink">
              {text}
            </mark>
          ) : (
            text
          )
        })}
      </p>
    </li>
  )
}

const useSections = (isAsked: boolean) =>
  useQuery<readonly Section[]>({
    queryKey: ['help', 'sections'],
    queryFn: async () => (await import('trivium:help/sections')).SECTIONS,
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
  })
