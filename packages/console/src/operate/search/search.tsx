// One search for everything (Ctrl K or Cmd K): pages by name, and whatever the gateway finds by what was pasted.

import { createContext, type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { usePaused } from '../../ui/form/choices-of.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { useAdmin } from '../api/queries.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { LINKS } from '../links.ts'
import type { OperatePage } from '../navigation.ts'
import { type Hit, useSearchActs } from './search-acts.ts'

const Context = createContext<() => void>(() => {})

export function SearchProvider({ pages, children }: { pages: readonly OperatePage[]; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      // What a dialog shows must not be covered by another one.
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <Context value={() => setOpen(true)}>
      {children}
      {isOpen && <SearchDialog pages={pages} onClose={() => setOpen(false)} />}
    </Context>
  )
}

export function SearchButton({ small = false }: { small?: boolean }) {
  const t = useOperateTexts().shell.search
  const open = useContext(Context)
  if (small) return <IconButton icon="search" label={t.title} onClick={open} />
  return (
    <button
      type="button"
      onClick={open}
      className="mx-2 mb-2 flex h-8 items-center gap-2.5 rounded-md border px-2 text-left text-muted hover:bg-raised hover:text-ink"
    >
      <Icon name="search" />
      <span className="flex-1">{t.title}</span>
      <kbd className="rounded-sm border px-1 font-mono text-xs">Ctrl K</kbd>
    </button>
  )
}

function SearchDialog({ pages, onClose }: { pages: readonly OperatePage[]; onClose(): void }) {
  const t = useOperateTexts().shell.search
  const id = useId()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const { hits, isLoading } = useHits(typed.trim(), pages)
  const current = Math.min(active, Math.max(0, hits.length - 1))
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    onClose()
    navigate(hit.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      setActive(Math.max(0, Math.min(hits.length - 1, to)))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(hits[current])
    }
  }
  return (
    <Dialog open onClose={onClose} title={t.title}>
      <TextField
        label={t.label}
        type="search"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={hits.length > 0 ? `${id}-${current}` : undefined}
        autoComplete="off"
        value={typed}
        onKeyDown={onKeyDown}
        onChange={(value) => {
          setTyped(value)
          setActive(0)
        }}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t.title}
        className={classes('mt-3 flex flex-col gap-0.5', typed.trim() !== '' && 'min-h-52')}
      >
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field.
          <div
            key={`${hit.kind} ${hit.href} ${hit.label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => open(hit)}
            className={classes(
              'flex cursor-pointer items-center justify-between gap-3 rounded-sm px-2 py-1.5 hover:bg-raised pointer-coarse:py-2.5',
              index === current && 'bg-raised',
            )}
          >
            <span className="min-w-0 wrap-anywhere">
              {hit.label}
              {hit.detail !== null && <span className="text-muted"> {hit.detail}</span>}
            </span>
            <span className="shrink-0 text-xs text-muted">{t.kinds[hit.kind] ?? hit.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" className="text-sm text-muted">
        {typed.trim() === '' ? t.hint : hits.length === 0 && !isLoading ? t.none : ''}
      </p>
      {typed.trim() === '' && (
        <dl aria-label={t.shortcuts} className="mt-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 border-t pt-3 text-sm">
          {Object.entries(t.keys).map(([keys, meaning]) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded-sm border px-1 font-mono text-xs">{keys}</kbd>
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </Dialog>
  )
}

/** Pages whose name contains what was typed, acts that it names, and what the gateway knows by it. */
function useHits(typed: string, pages: readonly OperatePage[]): { hits: Hit[]; isLoading: boolean } {
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
