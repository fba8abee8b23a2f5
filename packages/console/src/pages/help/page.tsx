// The documentation of this version, within the console, and its search. It is in English, but for a few pages in Chinese.

import { PAGES } from 'trivium:help'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { Link, useLocation } from 'wouter'
import { useLanguage } from '../../i18n/language.tsx'
import { type Document, DocumentContext, Markdown } from '../../markdown/markdown.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { anchorOf, helpPath } from './addresses.ts'
import { documentOf } from './document.ts'
import { HelpSearch } from './help-search.tsx'

/** In both places of the console. */
const BASE = /^(?:\/operate)?\/help\/?/
const FIRST = 'README'
const FILTERS = { q: '' }
const CHINESE_START = 'start/quick-start.zh-CN'

export default function HelpPage() {
  const { language, texts } = useLanguage()
  const t = texts.help
  const [location] = useLocation()
  const [root = '', base = root.replace(/\/?$/, '/')] = BASE.exec(location) ?? []
  const page = location.slice(root.length) || FIRST
  const load = PAGES[page]
  const [{ q: query }, setFilters] = useUrlState(FILTERS)
  const { data, isError } = useQuery({
    queryKey: ['help', page],
    queryFn: async () => (await load?.())?.default ?? '',
    enabled: load !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useAnchor(data)
  if (!load || isError) return <EmptyState title={t.missing} />
  if (data === undefined) return <Skeleton size="h-7 w-60" />
  const isIndex = page === FIRST
  const { title = t.title, text } = documentOf(data)
  const document: Document = {
    anchorOf,
    pathOf: (href) => {
      const path = helpPath(href, page, base)
      // What the console does not have, such as decisions, is no link.
      return path !== undefined && pageOf(path, base) in PAGES ? path : undefined
    },
  }
  const isChinese = page.endsWith('.zh-CN')
  const own = `${page}.zh-CN`
  return (
    <>
      <PageHeader title={isIndex || query !== '' ? t.title : title} />
      {language === 'zh' && !isChinese && query === '' && CHINESE_START in PAGES && (
        <p className="mb-4">
          <Link href={`${base}${own in PAGES ? own : CHINESE_START}`} className="text-link hover:underline">
            {own in PAGES ? t.inChinese : t.translated}
          </Link>
        </p>
      )}
      <HelpSearch base={base} query={query} onChange={(q) => setFilters({ q })} />
      {query === '' && (
        <div lang={isChinese ? 'zh-CN' : 'en'} className="max-w-[760px] pb-16">
          <DocumentContext value={document}>
            <Markdown text={text} baseUrl="" />
          </DocumentContext>
        </div>
      )}
    </>
  )
}

const pageOf = (path: string, base: string): string => path.slice(base.length).replace(/#.*$/, '')

const EVENTS = ['popstate', 'pushState', 'replaceState', 'hashchange']
const subscribe = (changed: () => void) => {
  for (const event of EVENTS) window.addEventListener(event, changed)
  return () => {
    for (const event of EVENTS) window.removeEventListener(event, changed)
  }
}

/** The part that the URL names is shown once the text is there. */
function useAnchor(text: string | undefined): void {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash)
  useEffect(() => {
    if (text === undefined || hash === '') return
    document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView()
  }, [text, hash])
}
