// Where an entry or a setting comes from: a lock with the place for what can only be changed there.

import { Link } from 'wouter'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'

export type Setting = Output<'GET', 'settings'>['settings'][number]
type AnySource = Setting['source']

export const revisionHref = (revision: number | string): string => LINKS.revision(String(revision))

/** `trivium.yaml:31`, or the name of a variable. */
export const placeOf = ({ file, line, variable }: AnySource): string | undefined =>
  file === null ? (variable ?? undefined) : `${file.split('/').at(-1)}:${line}`

export function Source({ source }: { source: AnySource }) {
  const t = useOperateTexts().configuration.source
  const place = placeOf(source)
  if (place !== undefined)
    return (
      <span
        className="inline-flex max-w-full min-w-0 items-center gap-1"
        title={t.locked(source.file === null ? place : `${source.file}:${source.line}`)}
      >
        <Lock label={t[source.from]} />
        <code className="min-w-0 font-mono text-sm wrap-anywhere">{place}</code>
      </span>
    )
  if (source.revision !== null)
    return (
      <Link href={revisionHref(source.revision)} className="text-link hover:underline">
        {t.revision(source.revision)}
      </Link>
    )
  return <span className="text-muted">{t[source.from]}</span>
}

/** Stands before what can only be changed where it comes from. */
function Lock({ label }: { label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      className="shrink-0 text-muted"
    >
      <path
        d="M5 7V5a3 3 0 0 1 6 0v2M4 7h8a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1Z"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    </svg>
  )
}
