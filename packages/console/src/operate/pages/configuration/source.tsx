// Where an entry or a setting comes from: a lock with the place for what can only be changed there.

import { Link } from 'wouter'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { Lock } from './lock.tsx'

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
