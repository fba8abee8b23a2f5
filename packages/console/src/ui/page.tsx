// The frame of a page's content: its header, and sections.

import { createContext, type ReactNode, useEffect, useId } from 'react'
import { Link, useLocation } from 'wouter'
import { useAbout } from '../api/queries.ts'
import { isOperate, OPERATE } from '../app/operate-path.ts'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'
import { Skeleton } from './states.tsx'

type HeaderProps = { title: string; text?: ReactNode; actions?: ReactNode; help?: string }

/** The heading of the page, which is the title of the document as well; `actions` stand at its right. `help`: its part of the documentation. */
export function PageHeader({ title, text, actions, help }: HeaderProps) {
  useTitle(title)
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <div className="flex items-center gap-1">
          <h1 className="min-w-0 text-xl font-semibold wrap-anywhere">{title}</h1>
          {help && <HelpLink part={help} title={title} />}
        </div>
        {text && <div className="mt-1 text-muted">{text}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

function HelpLink({ part, title }: { part: string; title: string }) {
  const { help } = useTexts().common
  const [location] = useLocation()
  return (
    <Link
      href={`${isOperate(location) ? OPERATE : ''}/help/${part}`}
      aria-label={help(title)}
      title={help(title)}
      className="inline-grid size-7 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink pointer-coarse:size-10"
    >
      <Icon name="help" />
    </Link>
  )
}

export function useTitle(title: string): void {
  const { data } = useAbout()
  const name = data?.name
  useEffect(() => {
    document.title = name === undefined ? title : `${title} · ${name}`
  }, [title, name])
}

type SectionProps = { title?: string; text?: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode }

/** The title of the card around, which need not be said again of the only thing in it. */
export const CardTitle = createContext<string | undefined>(undefined)

/** A card. `flush`: its content reaches the edges, as tables do. */
export function Section({ title, text, actions, flush = false, children }: SectionProps) {
  const id = useId()
  return (
    <section {...(title ? { 'aria-labelledby': id } : {})} className="mb-6 rounded-lg border bg-surface">
      {title && (
        <header
          className={classes(
            'flex flex-wrap justify-between gap-x-4 gap-y-2 border-b px-4 py-3',
            text ? 'items-start' : 'items-center',
          )}
        >
          <div className="min-w-0">
            <h2 id={id} className="font-semibold">
              {title}
            </h2>
            {text && <div className="text-sm text-muted">{text}</div>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      {/* What sticks to an edge must not cover its corners. */}
      <div className={flush ? classes('overflow-clip rounded-b-lg', !title && 'rounded-t-lg') : 'p-4'}>
        <CardTitle value={title}>{children}</CardTitle>
      </div>
    </section>
  )
}

/** A figure with its name, in one line on phones. It wraps rather than reach over its edge. Without a value a skeleton of the same size is shown. */
export function Stat({ label, children, note }: { label: string; children: ReactNode | undefined; note?: ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border bg-surface px-4 py-3 max-[520px]:flex max-[520px]:flex-wrap max-[520px]:items-baseline max-[520px]:justify-between max-[520px]:gap-x-3">
      <div className="text-sm text-muted">{label}</div>
      <div className="text-lg font-semibold wrap-anywhere in-data-stale:text-muted wide:mt-1 wide:text-xl [&_.tabular-nums]:whitespace-normal">
        {children ?? <Skeleton size="h-6 w-28" />}
      </div>
      {note && <div className="text-sm text-muted max-[520px]:w-full wide:mt-1">{note}</div>}
    </div>
  )
}

/** Names and values in two columns. */
export function Facts({ items }: { items: readonly { label: string; value: ReactNode }[] }) {
  return (
    <dl className="grid items-baseline grid-cols-[minmax(72px,auto)_1fr] gap-x-4 wide:gap-x-8 gap-y-2">
      {items.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="text-muted">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A titled part of a drawer. */
export function Part({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {text && <p className="text-sm text-muted">{text}</p>}
      {children}
    </section>
  )
}
