// The node that answers: its version, its configuration, its certificates.

import { Link } from 'wouter'
import { Loaded } from '../../../ui/loaded.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Badge, Banner, Skeleton } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pageLink } from '../../links.ts'

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

export function About() {
  const t = useOperateTexts().system.about
  const query = useAdmin('system')
  return (
    <Section title={t.title}>
      <Loaded query={query} skeleton={<Skeleton size="h-44 w-full" />}>
        {(data) => (
          <>
            <Facts
              items={[
                { label: t.version, value: data.version },
                { label: t.runtime, value: data.runtime },
                { label: t.database, value: ENGINES[data.database] },
                { label: t.started, value: <Time at={data.started_at} /> },
                {
                  label: t.file,
                  value: data.configuration.file ? (
                    <code className="font-mono text-sm wrap-anywhere">{data.configuration.file}</code>
                  ) : (
                    t.noFile
                  ),
                },
                {
                  label: t.revision,
                  value: (
                    <Link href={pageLink('configuration', { tab: 'revisions' })} className="text-link hover:underline">
                      {data.configuration.revision}
                    </Link>
                  ),
                },
                ...(data.price_list === null ? [] : [{ label: t.priceList, value: data.price_list }]),
              ]}
            />
            {data.warnings.length > 0 && (
              <div className="mt-4">
                <Banner tone="warn">
                  <p>{t.warnings}</p>
                  <ul className="list-disc pl-4 text-sm">
                    {data.warnings.map((warning) => (
                      <li key={warning} lang="en" className="wrap-anywhere">
                        {warning}
                      </li>
                    ))}
                  </ul>
                </Banner>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const DAY_MS = 86_400_000
/** As alerts do by default. */
const SOON_DAYS = 14

export function Certificates() {
  const t = useOperateTexts().system.certificates
  const query = useAdmin('system')
  return (
    <Section title={t.title}>
      <Loaded query={query} skeleton={<Skeleton size="h-24 w-full" />}>
        {({ certificates }) =>
          certificates.length === 0 ? (
            <p className="text-muted">{t.none}</p>
          ) : (
            certificates.map(({ file, names, issuer, expires_at: expiresAt, error: problem }) => (
              <Facts
                key={file}
                items={[
                  ...(expiresAt === null
                    ? []
                    : [
                        { label: t.names, value: names.join(', ') },
                        { label: t.issuer, value: issuer },
                        { label: t.expires, value: <Expiry at={expiresAt} /> },
                      ]),
                  {
                    label: t.file,
                    value: (
                      <>
                        <code className="font-mono text-sm wrap-anywhere">{file}</code>
                        {problem && <Banner tone="bad">{problem}</Banner>}
                      </>
                    ),
                  },
                ]}
              />
            ))
          )
        }
      </Loaded>
    </Section>
  )
}

function Expiry({ at }: { at: string }) {
  const t = useOperateTexts().system.certificates
  const days = Math.floor((Date.parse(at) - Date.now()) / DAY_MS)
  const tone = days < 0 ? 'bad' : days <= SOON_DAYS ? 'warn' : 'good'
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Time at={at} /> <Badge tone={tone}>{days < 0 ? t.expired : t.soon(days)}</Badge>
    </span>
  )
}
