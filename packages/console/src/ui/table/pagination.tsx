// Pages of a list that the server cuts by a cursor: the URL has the cursor, and the browser's history the way back.

import type { MouseEvent } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../button.tsx'
import { useUrlState } from '../url-state.ts'

/** The name of the cursor in the URL is that of the API's parameter. */
export type Cursor = 'before' | 'after'
const FIRST = { before: '', after: '' }

/** The cursor of the page to read: `useRead('keys', { before })`. Filters must reset it. */
export const usePageCursor = (cursor: Cursor = 'before'): string => useUrlState(FIRST)[0][cursor]

type PaginationProps = { next: string | null | undefined; total?: string; cursor?: Cursor }

/** `next`: the cursor in the last response. */
export function Pagination({ next, total, cursor = 'before' }: PaginationProps) {
  const { common } = useTexts()
  const [{ [cursor]: before }, setPage] = useUrlState(FIRST)
  const open = (event: MouseEvent, page: Partial<typeof FIRST>) => {
    setPage(page, { replace: false })
    showHead(event.currentTarget)
  }
  if (before === '' && !next && !total) return null
  return (
    <nav aria-label={common.pages} className="flex flex-wrap items-center justify-between gap-2 border-t px-4 py-2">
      <span className="text-sm text-muted">{total}</span>
      <span className="flex gap-2">
        {before !== '' && (
          <>
            <Button small onClick={(event) => open(event, FIRST)}>
              {common.firstPage}
            </Button>
            {window.history.state?.pushed === true && (
              <Button small onClick={() => window.history.back()}>
                {common.previousPage}
              </Button>
            )}
          </>
        )}
        {(before !== '' || next) && (
          <Button small disabled={!next} onClick={(event) => next && open(event, { [cursor]: next })}>
            {common.nextPage}
          </Button>
        )}
      </span>
    </nav>
  )
}

/** Readers continue at the first row of another page. After the history has noted where they were, so that Back leads there. */
export function showHead(button: Element): void {
  const table = button.closest('nav')?.parentElement?.querySelector<HTMLElement>('section[tabindex]')
  requestAnimationFrame(() => {
    table?.scrollIntoView({ block: 'start' })
    table?.focus({ preventScroll: true })
  })
}
