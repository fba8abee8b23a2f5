// The documentation of this version, within the console. It is in English only.

import { PAGES } from 'trivium:help'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { useTexts } from '../../i18n/language.tsx'
import { type Document, DocumentContext, Markdown } from '../../markdown/markdown.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { anchorOf, helpPath } from './addresses.ts'

/** In both places of the console. */
const BASE = /^(?:\/operate)?\/help\/?/
const FIRST = 'use/console'

export default function HelpPage() {
  const t = useTexts().help
  const [location] = useLocation()
  const [base = ''] = BASE.exec(location) ?? []
  const page = location.slice(base.length) || FIRST
  const load = PAGES[page]
  const { data, isError } = useQuery({
    queryKey: ['help', page],
    queryFn: async () => (await load?.())?.default ?? '',
    enabled: load !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useAnchor(data)
  if (!load || isError) return <EmptyState title={t.missing} />
  if (data === undefined) return <Skeleton size="h-7 w-60" />
  const [, title = t.title, text = data] = /^# (.+)\n([\s\S]*)$/.exec(data) ?? []
  const document: Document = { anchorOf, pathOf: (href) => helpPath(href, page, base) }
  return (
    <>
      <PageHeader title={title} />
      <div lang="en" className="max-w-[760px] pb-16">
        <DocumentContext value={document}>
          <Markdown text={text} baseUrl="" />
        </DocumentContext>
      </div>
    </>
  )
}

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
