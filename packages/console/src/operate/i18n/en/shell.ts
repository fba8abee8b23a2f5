// The frame of the operators' place.
export const shell = {
  groups: {
    start: 'Start',
    traffic: 'Traffic',
    customers: 'Customers',
    catalogue: 'Catalogue',
    money: 'Money',
    gateway: 'Gateway',
  },
  more: 'More',
  roles: { owner: 'owner', admin: 'admin', finance: 'finance', support: 'support', viewer: 'viewer' },
  role: 'Your role',
  needs: (roles: readonly string[]) => `Needs ${roles.join(' or ')}`,
  openAlerts: (count: number) =>
    count === 0 ? 'No open alerts' : count === 1 ? '1 open alert' : `${count} open alerts`,
  search: {
    title: 'Search',
    open: 'Search (Ctrl K)',
    label: 'Email, account, last four characters of a key, request ID, model, upstream or code',
    hint: 'Paste anything that identifies an account, key, request, model, upstream or code.',
    none: 'Nothing found.',
    kinds: {
      page: 'Page',
      account: 'Account',
      person: 'Person',
      key: 'Key',
      request: 'Request',
      model: 'Model',
      upstream: 'Upstream',
      group: 'Group',
      code: 'Code',
    } as Record<string, string>,
  },
  filters: {
    add: 'Filter',
    clear: 'Clear all',
    remove: (name: string) => `Remove the filter ${name}`,
    any: 'Any',
  },
  /** A page looks at a bounded number of rows. */
  nothingSoFar: 'Nothing found so far. Continue on the next page.',
  live: 'Live',
  paused: 'Paused',
}
