import { Route, Switch } from 'wouter'
import { pathOf } from '../../page-ids.ts'
import { AccountPage } from './account.tsx'
import { AccountList } from './account-list.tsx'

export default function AccountsPage() {
  return (
    <Switch>
      <Route path={pathOf('accounts')} component={AccountList} />
      <Route path={`${pathOf('accounts')}/:account/:tab?`}>
        {({ account, tab }) => <AccountPage key={account} account={account} tab={tab ?? 'overview'} />}
      </Route>
    </Switch>
  )
}
