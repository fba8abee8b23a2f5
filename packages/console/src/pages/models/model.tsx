import { useAbout } from '../../api/queries.ts'
import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ClientSnippet } from '../../snippets/lazy-client-snippet.ts'
import { isProtocol } from '../../snippets/protocols.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { DetailDrawer, type Query } from '../../ui/loaded.tsx'
import { Facts, Part } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { Duration } from '../../ui/values.tsx'
import { isTab } from '../playground/models.ts'
import { Capabilities } from './capabilities.tsx'
import { useLimits } from './limits.ts'
import { PriceTable } from './price-table.tsx'
import { hasTokens, labelOf } from './prices.ts'

type ModelDrawerProps = { id: string; models: Query<readonly ModelRow[]>; onClose(): void }

/** `id`: empty while nothing is shown. */
export function ModelDrawer({ id, models, onClose }: ModelDrawerProps) {
  const t = useTexts().models
  const model = models.data?.find((each) => each.id === id)
  return (
    <DetailDrawer
      open={id !== ''}
      onClose={onClose}
      title={id}
      query={{ ...models, data: models.data && (model ?? null) }}
      none={{ title: t.unknownModel(id) }}
      footer={
        model &&
        isTab(model.type) && (
          <ButtonLink variant="primary" href={`/playground?tab=${model.type}&model=${encodeURIComponent(model.id)}`}>
            {t.tryIt}
          </ButtonLink>
        )
      }
    >
      {(found) => <Details model={found} />}
    </DetailDrawer>
  )
}

function Details({ model }: { model: ModelRow }) {
  const texts = useTexts()
  const t = texts.models
  const { data: about } = useAbout()
  const limits = useLimits(model)
  return (
    <>
      <Facts
        items={[
          { label: t.id, value: <CopyText text={model.id} label={t.id} /> },
          { label: t.type, value: <Badge>{labelOf(t.types, model.type)}</Badge> },
          ...(model.vendor ? [{ label: t.vendor, value: model.vendor }] : []),
          { label: t.supports, value: <Capabilities model={model} /> },
          ...(hasTokens(model) ? [{ label: t.speed, value: <Speed ms={model.median_first_token_ms} /> }] : []),
          ...(model.protocols.length > 0 ? [{ label: t.protocols, value: <Protocols of={model.protocols} /> }] : []),
        ]}
      />
      <Part title={t.prices}>
        <PriceTable prices={model.prices} />
      </Part>
      {limits.length > 0 && (
        <Part title={t.limits}>
          <Facts items={limits} />
        </Part>
      )}
      {about && model.protocols.some(isProtocol) && (
        <Part title={t.snippet}>
          <ClientSnippet baseUrl={about.base_url} model={model.id} protocols={model.protocols} />
        </Part>
      )}
    </>
  )
}

function Protocols({ of }: { of: readonly string[] }) {
  const names = useTexts().snippets.protocols
  return (
    <span className="flex flex-wrap gap-1">
      {of.map((protocol) => (
        <Badge key={protocol}>{labelOf(names, protocol)}</Badge>
      ))}
    </span>
  )
}

function Speed({ ms }: { ms: number | null }) {
  const t = useTexts().models
  if (ms === null) return <span className="text-muted">{t.noTraffic}</span>
  return (
    <>
      <Duration ms={ms} /> <span className="text-sm text-muted">{t.speedNote}</span>
    </>
  )
}
