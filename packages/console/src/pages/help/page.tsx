// The documentation of this version, within the console. It is in English, but for a quick start in Chinese.

import { INDEX, PAGES } from 'trivium:help'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Link, useLocation } from 'wouter'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { type Document, DocumentContext, Markdown } from '../../markdown/markdown.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { anchorOf, helpPath } from './addresses.ts'
import { documentOf } from './document.ts'

/** In both places of the console. */
const BASE = /^(?:\/operate)?\/help\/?/
const FIRST = 'README'
const CHINESE_START = 'start/quick-start.zh-CN'

export default function HelpPage() {
  const { language, texts } = useLanguage()
  const t = texts.help
  const [location] = useLocation()
  const [root = '', base = root.replace(/\/?$/, '/')] = BASE.exec(location) ?? []
  const page = location.slice(root.length) || FIRST
  const load = PAGES[page]
  const [sought, setSought] = useState('')
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
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
  return (
    <>
      <PageHeader title={isIndex ? t.title : title} />
      {language === 'zh' && !isChinese && CHINESE_START in PAGES && (
        <p className="mb-4">
          <Link href={`${base}${CHINESE_START}`} className="text-link hover:underline">
            {t.translated}
          </Link>
        </p>
      )}
      {isIndex && (
        <div className="mb-6 flex max-w-[760px] flex-col gap-4">
          <SearchField value={sought} onChange={setSought} label={t.search} />
          {words.length > 0 && <Found base={base} words={words} />}
        </div>
      )}
      <div lang={isChinese ? 'zh-CN' : 'en'} className="max-w-[760px] pb-16">
        {!(isIndex && words.length > 0) && (
          <DocumentContext value={document}>
            <Markdown text={text} baseUrl="" />
          </DocumentContext>
        )}
      </div>
    </>
  )
}

/** Pages whose title or first sentence has all words. */
function Found({ base, words }: { base: string; words: readonly string[] }) {
  const { common } = useTexts()
  const found = INDEX.filter(({ page, title, text }) => {
    const all = `${page} ${title} ${text}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
  if (found.length === 0) return <p className="text-muted">{common.noMatch}</p>
  return (
    <ul className="flex flex-col gap-3">
      {found.map(({ page, title, text }) => (
        <li key={page} lang={page.endsWith('.zh-CN') ? 'zh-CN' : 'en'}>
          <Link href={`${base}${page === FIRST ? '' : page}`} className="font-medium text-link hover:underline">
            {title}
          </Link>
          <p className="text-sm text-muted">{text}</p>
        </li>
      ))}
    </ul>
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
