import type { MouseEvent } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { showHead } from '../../ui/table/pagination.tsx'
import { useNumber } from '../../ui/values.tsx'

export const PER_PAGE = 50

/** `page` counts from 1. A catalogue may have a thousand models, and a table of them all would be slow. */
export function Pages({ page, total, onChange }: { page: number; total: number; onChange(page: number): void }) {
  const { common, models: t } = useTexts()
  const number = useNumber()
  const first = (page - 1) * PER_PAGE + 1
  const last = Math.min(total, page * PER_PAGE)
  const hasPages = total > PER_PAGE
  const open = (event: MouseEvent, next: number) => {
    onChange(next)
    showHead(event.currentTarget)
  }
  return (
    <nav aria-label={common.pages} className="flex flex-wrap items-center justify-between gap-2 border-t px-4 py-2">
      <span aria-live="polite" className="text-sm text-muted">
        {hasPages ? t.range(number(first), number(last), number(total)) : t.count(total, number(total))}
      </span>
      {hasPages && (
        <span className="flex gap-2">
          <Button small disabled={page === 1} onClick={(event) => open(event, page - 1)}>
            {common.previousPage}
          </Button>
          <Button small disabled={last === total} onClick={(event) => open(event, page + 1)}>
            {common.nextPage}
          </Button>
        </span>
      )}
    </nav>
  )
}
