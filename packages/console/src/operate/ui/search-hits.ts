import { useEffect, useState } from 'react'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import type { OperatePage } from '../navigation.ts'

/** `href`: a place of the console. */
export type Hit = { kind: string; label: string; href: string }

const WAIT_MS = 150

/** Pages whose name contains what was typed. */
export function useHits(typed: string, pages: readonly OperatePage[]): { hits: Hit[]; isLoading: boolean } {
  const texts = useOperateTexts()
  const settled = useSettled(typed)
  const wanted = settled.toLowerCase()
  const hits = pages
    .filter(({ id }) => texts[id].title.toLowerCase().includes(wanted))
    .map(({ id, path }) => ({ kind: 'page', label: texts[id].title, href: path }))
  return { hits: wanted === '' ? [] : hits, isLoading: settled !== typed }
}

/** The value when it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(setSettled, WAIT_MS, value)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
