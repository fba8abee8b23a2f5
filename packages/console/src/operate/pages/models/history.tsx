// What was changed of an entry of the configuration, by whom and why.

import { Link } from 'wouter'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { Diff } from '../../ui/diff.tsx'

/** `of`: such as `model/gpt-x`. `revision`: that which stored it, perhaps with other entries. */
export function History({ of, revision }: { of: string; revision: number | null }) {
  const { models, configuration } = useOperateTexts()
  const t = models.history
  const { data, error, refetch } = useAdmin('audit-log', { object: of, limit: '5' })
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  if (!data) return <Skeleton size="h-16 w-full" />
  if (data.data.length === 0) {
    if (revision === null) return <p className="text-muted">{t.none}</p>
    const href = LINKS.revision(String(revision))
    return (
      <Link href={href} className="text-link underline">
        {configuration.revisions.open(String(revision))}
      </Link>
    )
  }
  return (
    <>
      <ol className="flex flex-col gap-3">
        {data.data.map(({ id, at, actor, action, reason, before, after }) => (
          <li key={id} className="flex flex-col gap-1">
            <div className="flex flex-wrap justify-between gap-x-3 text-sm">
              <span className="wrap-anywhere">
                {t.actions[action] ?? action} · {actor}
              </span>
              <span className="text-muted">
                <Time at={at} />
              </span>
            </div>
            {reason !== '' && <p className="text-sm text-muted wrap-anywhere">{reason}</p>}
            {before !== null && after !== null && <Diff before={before} after={after} />}
          </li>
        ))}
      </ol>
      <Link href={pageLink('auditLog', { object: of })} className="text-link underline">
        {t.all}
      </Link>
    </>
  )
}
