import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Part } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/states.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { RouteCandidates } from '../models/routes.tsx'

/** Where the same request would go now, by the code that routes requests. Asked for, since a request rarely needs it. */
export function RouteNow({ model, apiKey }: { model: string; apiKey: string }) {
  const t = useOperateTexts().requests.route
  const [isAsked, setAsked] = useState(false)
  return (
    <Part title={t.title} text={t.text}>
      {isAsked ? (
        <Candidates model={model} apiKey={apiKey} />
      ) : (
        <span>
          <Button icon="search" onClick={() => setAsked(true)}>
            {t.explain}
          </Button>
        </span>
      )}
    </Part>
  )
}

function Candidates({ model, apiKey }: { model: string; apiKey: string }) {
  const query = useAdmin('models/{model}/route-preview', { model, key: apiKey })
  return (
    <Loaded query={query} skeleton={<Skeleton size="h-20 w-full" />}>
      {(preview) => <RouteCandidates preview={preview} />}
    </Loaded>
  )
}
