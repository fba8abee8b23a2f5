// What differs between two versions of a thing, field by field.

import { useOperateTexts } from '../i18n/use-texts.tsx'
import { differences, fieldName } from './differences.ts'

/** As the API writes a field without a value. */
const NULL = 'null'

/** Versions are what the API says of them; null: there was none, or there is none any more. */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const { acts: t, auditLog } = useOperateTexts()
  const rows = differences(before, after)
  if (rows.length === 0) return <p className="text-muted">{t.noChanges}</p>
  return (
    <section aria-label={t.changes} className="overflow-hidden rounded-md border">
      <dl className="divide-y text-sm">
        {rows.map(({ path, from, to }) => (
          <div key={path} className="flex flex-wrap gap-x-3 gap-y-0.5 px-3 py-1.5">
            <dt className="min-w-28 text-muted wrap-anywhere">{fieldName(path, auditLog.fields)}</dt>
            <dd className="min-w-0 flex-1 wrap-anywhere">
              {from !== undefined && (
                <del className="text-bad">
                  <span className="sr-only">{t.before} </span>
                  {from === NULL ? t.unset : from}
                </del>
              )}
              {from !== undefined && to !== undefined && <span aria-hidden="true"> → </span>}
              {to !== undefined && (
                <ins className="text-good no-underline">
                  <span className="sr-only">{t.after} </span>
                  {to === NULL ? t.unset : to}
                </ins>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
