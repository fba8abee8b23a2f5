import { Link } from 'wouter'
import { Icon } from '../../../ui/icons.tsx'
import { Section } from '../../../ui/page.tsx'
import { Time } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { needLink } from './links.ts'

type Need = Output<'GET', 'overview'>['needs_you'][number]

/** What keeps the gateway from serving; the rest can wait for a moment. */
const GRAVE: ReadonlySet<string> = new Set([
  'audit_failed',
  'upstream_down',
  'node_not_ready',
  'upstream_key_rejected',
  'upstream_failing',
])

/** Each alert by itself, others by their kind. */
function groupsOf(needs: readonly Need[]): readonly Need[][] {
  const groups = new Map<string, Need[]>()
  for (const need of needs) {
    const name = need.kind === 'alert' ? JSON.stringify(need) : need.kind
    groups.set(name, [...(groups.get(name) ?? []), need])
  }
  return [...groups.values()]
}

export function NeedsYou({ needs, count }: { needs: readonly Need[]; count: number }) {
  const t = useOperateTexts().overview.needs
  if (needs.length === 0) {
    return (
      <p className="mb-6 flex items-center gap-2 rounded-lg border bg-surface px-4 py-3 text-muted">
        <span className="text-good">
          <Icon name="check" />
        </span>
        {t.none}
      </p>
    )
  }
  return (
    <Section title={t.title} flush>
      <ul>
        {groupsOf(needs).map((group) => (
          <NeedRow key={`${group[0]?.kind} ${group[0]?.about} ${group[0]?.detail}`} group={group} />
        ))}
        {count > needs.length && <li className="px-4 py-2.5 text-muted">{t.more(count - needs.length)}</li>}
      </ul>
    </Section>
  )
}

function NeedRow({ group }: { group: readonly Need[] }) {
  const texts = useOperateTexts()
  const t = texts.overview.needs
  const [first] = group
  if (!first) return null
  const { kind, about, detail, since } = first
  const isOne = group.length === 1
  const title =
    kind === 'alert'
      ? (texts.alerts.rules[about]?.title ?? about)
      : (t.kinds[kind]?.(
          group.map((need) => need.about),
          first,
        ) ?? `${kind}: ${about}`)
  const isSaid = kind === 'upstream_failing'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2.5 last:border-b-0">
      <span className={GRAVE.has(kind) ? 'text-bad' : 'text-warn'}>
        <Icon name="warning" />
      </span>
      <div className="min-w-0 flex-1 basis-60 wrap-anywhere">
        {title}
        {isOne && !isSaid && detail !== null && (
          <span className="text-muted"> · {kind === 'alert' ? texts.alerts.value(detail) : detail}</span>
        )}
        {isOne && since !== null && (
          <span className="text-muted">
            {' · '}
            <Time at={since} style="relative" />
          </span>
        )}
      </div>
      <Link href={needLink(group)} className="text-link hover:underline">
        {t.acts[kind]}
      </Link>
    </li>
  )
}
