import { Route, Switch } from 'wouter'
import { pathOf } from '../../page-ids.ts'
import { UpstreamPage } from './detail.tsx'
import { UpstreamList } from './list.tsx'

export default function UpstreamsPage() {
  const path = pathOf('upstreams')
  return (
    <Switch>
      <Route path={`${path}/:upstream`}>
        {({ upstream }) => <UpstreamPage key={upstream} id={decodeURIComponent(upstream)} />}
      </Route>
      <Route component={UpstreamList} />
    </Switch>
  )
}
